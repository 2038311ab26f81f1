// @ts-check
/** One of a few: a row of buttons, of which one is pressed; and the game that is chosen by it. */
import { h } from "/page/dom.js";
import { t } from "/page/i18n.js";

/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const KEPT = "sahrat.game";

/**
 * @template {string | number} T
 * @param {string} label What is chosen.
 * @param {string} what Its name for whoever looks from outside: `data-` of each button, and its id.
 * @param {{value: T, text: string}[]} among
 * @param {T | null} chosen
 * @param {(value: T) => void} pick
 */
export function choice(label, what, among, chosen, pick) {
  return h(
    "div",
    { class: "sizes", role: "group", "aria-label": label },
    among.map(({ value, text }) =>
      h(
        "button",
        { type: "button", class: "button", id: `${what}-${value}`, "aria-pressed": value === chosen, [`data-${what}`]: value, onclick: () => pick(value) },
        text,
      ),
    ),
  );
}

/**
 * A choice of game; nothing where there is but one.
 * @param {GameInfo[]} games
 * @param {GameInfo} chosen
 * @param {(game: GameInfo) => void} pick
 */
export function gameChoice(games, chosen, pick) {
  if (games.length < 2) return null;
  const among = games.map(({ name }) => ({ value: name, text: t(`game.${name}`) }));
  return choice(t("lobby.which"), "game", among, chosen.name, (name) => {
    keep(name);
    pick(/** @type {GameInfo} */ (games.find((one) => one.name === name)));
  });
}

/**
 * The game that this device chose last, or the house's first.
 * @param {GameInfo[]} games At least one.
 */
export function chosenGame(games) {
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // a browser that keeps nothing
  }
  return games.find((one) => one.name === kept) ?? games[0];
}

/** @param {string} name */
function keep(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // a browser that keeps nothing: the choice holds for this view
  }
}
