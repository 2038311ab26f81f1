// @ts-check
/** Open a table: which game, free or for coins, with every option explained. */
import { house } from "/net/house.js";
import { games } from "/net/games.js";
import { fill, h, refill } from "/page/dom.js";
import { reason, refusal } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { numeral } from "/page/numeral.js";
import { choice, chosenGame, gameChoice } from "/views/choice.js";
import { optionName, optionsForm } from "/views/options.js";
import { agrees, promises } from "/views/promises.js";

/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const LEAST = 10; // rule M.3
const MOST = 1_000_000;
const USUAL = 100;

/** @type {import("/page/app.js").View} */
export function newTable(main) {
  const place = h("div", { class: "narrow wide-form" }, h("p", { class: "loading" }, t("loading")));
  fill(main, place);
  if (!house.account) {
    location.replace("#/");
    return () => {};
  }
  games().then(
    (all) => all.length > 0 && form(place, all, chosenGame(all)),
    (why) => fill(place, h("p", { class: "notice bad" }, reason(why))),
  );
  return () => {};
}

/**
 * @param {HTMLElement} place
 * @param {GameInfo[]} all
 * @param {GameInfo} game
 */
function form(place, all, game) {
  let entry = 0;
  let busy = false;
  const told = h("div");
  const clash = h("p", { class: "notice bad", role: "alert", hidden: true });
  const amount = numeral({ id: "entry", min: LEAST, max: MOST, value: USUAL, changed: () => draw() });
  const amountField = h("div", { class: "field" }, h("label", { for: "entry" }, t("new.entry")), amount.input);
  const options = optionsForm(game, () => draw());
  const kinds = h("div");
  const draw = () => {
    if (entry > 0) entry = amount.value() || entry;
    const among = ["free", "coins"].map((value) => ({ value, text: t(value === "free" ? "lobby.free" : "new.coins") }));
    refill(
      kinds,
      choice(t("new.kind"), "kind", among, entry > 0 ? "coins" : "free", (kind) => {
        entry = kind === "coins" ? amount.value() || USUAL : 0;
        draw();
      }),
    );
    amountField.hidden = entry === 0;
    options.forCoins(entry > 0);
    fill(told, promises(entry, options.chosen()));
    const wrong = options.conflict().map((name) => optionName(game.name, name));
    clash.hidden = wrong.length === 0;
    clash.textContent = t("new.clash", { options: wrong.join(t("and")) });
  };
  const open = async () => {
    const chosen = options.chosen();
    if (busy || options.conflict().length > 0) return;
    if (entry > 0 && !amount.input.reportValidity()) return;
    if (!(await agrees(entry, chosen))) return;
    busy = true;
    try {
      location.hash = `#/table/${await house.open(game.name, chosen, entry)}`;
    } catch (why) {
      refusal(why);
    }
    busy = false;
  };
  refill(
    place,
    h("h1", null, t("new.title")),
    h("p", { class: "soft" }, t("new.about")),
    gameChoice(all, game, (chosen) => form(place, all, chosen)),
    h("section", { class: "card" }, kinds, amountField, told),
    h("section", { class: "card" }, h("h2", null, t("new.options")), options.element),
    clash,
    h("div", { class: "row" }, h("button", { type: "button", class: "button main large", "data-do": "open", onclick: () => void open() }, t("new.open")), h("a", { class: "button plain", href: "#/" }, t("cancel"))),
  );
  draw();
}
