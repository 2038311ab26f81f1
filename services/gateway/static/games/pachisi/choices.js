// @ts-check
/** Which throw for which piece: what the record allows, as buttons. */
import { h } from "/page/dom.js";
import { ask, show } from "/page/dialog.js";
import { number, t } from "/page/i18n.js";
import { numeral } from "/page/numeral.js";
import { chooses, declines } from "/games/parts/view.js";
import { CHARKONI, HOME } from "/games/pachisi/board.js";
import { part, square } from "/games/pachisi/words.js";

/** @typedef {import("/games/pachisi.js").Board} Board */
/** @typedef {import("/games/pachisi.js").Choice} Choice */
/** @typedef {(intent: {type: string, [field: string]: any}) => void} Act */

/** Whether any piece can use an open throw. @param {Choice} choice */
function usable({ pieces, laps, groups, split }) {
  return pieces.length + laps.length + groups.length + split.length > 0;
}

/** The throw that is shown first: one that can be used. @param {Choice[]} choices */
export function first(choices) {
  return Math.max(0, choices.findIndex(usable));
}

/**
 * The open throws as a row of which one is picked; nothing where there is but one.
 * @param {Board} board
 * @param {number} picked
 * @param {(at: number) => void} pick
 */
export function throws(board, picked, pick) {
  if (board.choices.length < 2) return [];
  const button = (/** @type {Choice} */ choice, /** @type {number} */ at) =>
    h(
      "button",
      {
        type: "button",
        class: `button open-throw ${usable(choice) ? "" : "useless"}`,
        id: `open-throw-${at}`,
        "aria-pressed": at === picked,
        onclick: () => pick(at),
      },
      part(board.open[choice.item]),
    );
  const label = t("pachisi.open_throws");
  return [h("div", { class: "open-throws row", role: "group", "aria-label": label }, board.choices.map(button))];
}

/**
 * Everything that may be done with one open throw.
 * @param {Board} board
 * @param {Choice} choice
 * @param {import("/net/protocol.js").Way[]} ways Those by this throw.
 * @param {Act} act
 */
export function uses(board, choice, ways, act) {
  const stands = board.pieces[board.mover ?? 0];
  const { item } = choice;
  const move = (/** @type {number} */ piece, lap = false) => act({ type: "pachisi.move", item, piece, lap });
  const where = (/** @type {number} */ piece) => square(stands[piece]);
  const leads = (/** @type {number} */ piece, lap = false) => {
    const way = ways.find((one) => one.piece === piece && one.lap === lap);
    return way ? t("leads", { to: square(way.progress) }) : where(piece);
  };
  const waiting = choice.pieces.filter((piece) => stands[piece] === CHARKONI);
  const others = choice.pieces.filter((piece) => stands[piece] !== CHARKONI);
  /** @type {HTMLElement[]} */
  const buttons = [
    ...waiting.slice(0, 1).map((piece) => chooses(t("pachisi.enter"), leads(piece), () => move(piece), { "data-piece": piece })),
    ...others.map((piece) => chooses(t("pachisi.choose", { piece: piece + 1 }), leads(piece), () => move(piece), { "data-piece": piece })),
    ...choice.laps.map((piece) => chooses(t("pachisi.choose", { piece: piece + 1 }), t("pachisi.lap"), () => move(piece, true), { "data-lap": piece })),
    ...choice.groups.flatMap(among).flatMap((pieces) => {
      const what = t("pachisi.together", { pieces: pieces.map((piece) => number(piece + 1)).join(t("and")) });
      const go = (/** @type {boolean} */ lap) => () => act({ type: "pachisi.move_group", item, pieces, lap });
      const group = { "data-group": pieces.join() };
      const round = pieces.every((piece) => choice.laps.includes(piece));
      return [chooses(what, where(pieces[0]), go(false), group), ...(round ? [chooses(what, t("pachisi.lap"), go(true), group)] : [])];
    }),
  ];
  if (choice.split.length > 0) {
    buttons.push(chooses(t("pachisi.split"), t("pachisi.split_about"), () => void share(board, choice, act), { "data-do": "split" }));
  }
  if (buttons.length === 0) buttons.push(h("p", { class: "soft small" }, t("pachisi.useless")));
  if (choice.may_decline) buttons.push(declines(t("pachisi.decline"), () => act({ type: "pachisi.decline", item })));
  return buttons;
}

/** Any two or more of a group. @param {number[]} group */
function among(group) {
  const some = Array.from({ length: 2 ** group.length }, (_, bits) => group.filter((_, at) => bits & (2 ** at)));
  return some.filter((pieces) => pieces.length > 1).sort((one, other) => other.length - one.length);
}

/**
 * Ask how a throw is to be shared among pieces; what is asked for, the house judges.
 * @param {Board} board
 * @param {Choice} choice
 * @param {Act} act
 */
async function share(board, choice, act) {
  const { value } = board.open[choice.item];
  const stands = board.pieces[board.mover ?? 0];
  const on = stands.map((_, piece) => piece).filter((piece) => stands[piece] > CHARKONI && stands[piece] < HOME);
  const fields = on.map((piece) => {
    const steps = choice.split.find((one) => one.piece === piece)?.steps ?? 0;
    return numeral({ id: `share-${piece}`, min: 0, max: value, value: steps });
  });
  const body = on.map((piece, at) =>
    h("div", { class: "field" }, h("label", { for: `share-${piece}` }, t("pachisi.choose", { piece: piece + 1 }), " · ", square(stands[piece])), fields[at].input),
  );
  const title = t("pachisi.split_title", { value });
  if (!(await ask({ title, body: [h("p", null, t("pachisi.split_how")), ...body], yes: t("pachisi.split_yes") }))) return;
  const shares = on
    .map((piece, at) => ({ piece, steps: fields[at].value() || 0, lap: false }))
    .filter(({ steps }) => steps > 0);
  const sum = shares.reduce((all, { steps }) => all + steps, 0);
  if (sum === value && shares.length > 1) act({ type: "pachisi.split", item: choice.item, shares });
  else await show(title, [h("p", { role: "alert" }, t("pachisi.split_wrong", { value }))]);
}
