// @ts-check
/** The rules of the house in a few words, with the options of one table or the usual ones. */
import { games } from "/net/games.js";
import { fill, h } from "/page/dom.js";
import { reason, show } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { optionsList } from "/views/options.js";
import { promises } from "/views/promises.js";

const GAME = "ludo";
const RULES = ["goal", "enter", "move", "capture", "safe", "again", "sixes", "home", "clock", "line", "dice"];

/** @type {import("/page/app.js").View} */
export function help(main) {
  const place = h("div", { class: "narrow" });
  fill(main, place);
  void usual().then(
    (options) => fill(place, h("h1", null, t("help.title")), rules(options), h("a", { class: "button", href: "#/" }, t("help.home"))),
    (why) => fill(place, h("p", { class: "notice bad" }, reason(why))),
  );
  return () => {};
}

async function usual() {
  const game = (await games()).find((one) => one.name === GAME);
  if (!game) throw new Error("the house does not offer this game");
  return optionsList(game, Object.fromEntries(Object.entries(game.options.properties).map(([name, schema]) => [name, schema.default])));
}

/** @param {HTMLElement} options */
function rules(options) {
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "soft" }, t("help.house")),
    h("ol", { class: "rules" }, RULES.map((rule) => h("li", null, t(`help.rule.${rule}`)))),
    h("h3", null, t("help.options")),
    options,
  );
}

/**
 * Show the rules with a table's own options.
 * @param {import("/net/protocol.js").MatchState} state
 */
export async function helpFor(state) {
  const name = state.rules.split("/")[0];
  try {
    const game = (await games()).find((one) => one.name === name);
    if (!game) return;
    await show(t("help.title"), [
      rules(optionsList(game, state.options)),
      h("h3", null, t("lobby.promises")),
      promises(state.entry_coins, state.size),
    ]);
  } catch (why) {
    await show(t("help.title"), [h("p", { class: "notice bad" }, reason(why))]);
  }
}
