// @ts-check
/** The rules of a game in a few words, with the options of one table or the usual ones. */
import { GAMES, game as shown } from "/games/all.js";
import { games } from "/net/games.js";
import { fill, h } from "/page/dom.js";
import { reason, show } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { chosenGame, gameChoice } from "/views/choice.js";
import { optionsList, usual } from "/views/options.js";
import { promises } from "/views/promises.js";

/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const COMMON = ["clock", "line", "dice"];

/** @type {import("/page/app.js").View} */
export function help(main) {
  const place = h("div", { class: "narrow" }, h("p", { class: "loading" }, t("loading")));
  fill(main, place);
  /** @param {GameInfo[]} all @param {GameInfo} game */
  const draw = (all, game) =>
    fill(
      place,
      h("h1", null, t("help.title")),
      gameChoice(all, game, (chosen) => draw(all, chosen)),
      rules(game, usual(game), 0),
      h("a", { class: "button", href: "#/" }, t("help.home")),
    );
  void games().then(
    (all) => all.length > 0 && draw(all, chosenGame(all)),
    (why) => fill(place, h("p", { class: "notice bad" }, reason(why))),
  );
  return () => {};
}

/**
 * @param {GameInfo} game
 * @param {import("/net/protocol.js").Options} options
 * @param {number} entry In coins; 0: a free table.
 */
function rules(game, options, entry) {
  const own = GAMES[game.name].rules.map((rule) => t(`${game.name}.rule.${rule}`));
  const all = [...own, ...COMMON.map((rule) => t(`help.rule.${rule}`))];
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "soft" }, t("help.house")),
    h("ol", { class: "rules" }, all.map((rule) => h("li", null, rule))),
    h("h3", null, t("help.options")),
    optionsList(game, options, entry),
  );
}

/**
 * Show the rules with a table's own options, and what is promised there.
 * @param {{rules: string, options: import("/net/protocol.js").Options, entry_coins: number}} table
 */
export async function helpFor(table) {
  const name = shown(table.rules)?.name;
  try {
    const game = (await games()).find((one) => one.name === name);
    if (!game) return;
    await show(t("help.title"), [
      rules(game, table.options, table.entry_coins),
      h("h3", null, t("lobby.promises")),
      promises(table.entry_coins, table.options),
    ]);
  } catch (why) {
    await show(t("help.title"), [h("p", { class: "notice bad" }, reason(why))]);
  }
}
