// @ts-check
/** What the sections of the result are made of. */

import { game } from "/games/all.js";
import { fill, h, name, s } from "/page/dom.js";
import { number, t } from "/page/i18n.js";

/** @typedef {import("/page/dom.js").Child} Child */
/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./check.js").Sitter} Sitter */
/** @typedef {import("./stages.js").Status} Status */

const SHORT = 30; // characters, that fit beside anything
const PIPS = ["", "22", "1133", "112233", "11133133", "1113223133", "111213313233"];

/**
 * Return a section of the result.
 * @param {Status} status
 * @param {string} title
 * @param {Child | Child[]} summary
 * @param {...(Child | Child[])} more
 */
export function section(status, title, summary, ...more) {
  return h(
    "section",
    { class: `card stage ${status}` },
    h(
      "header",
      { class: "stage-head" },
      sign(status),
      h("div", null, h("h2", null, title), h("p", { class: "soft" }, summary)),
    ),
    ...more,
  );
}

/** @param {Status} status */
export function sign(status) {
  const path = { good: "M5 12.5 10 17.5 19 7", bad: "M6 6 18 18M18 6 6 18", open: "M6 12H18" };
  return h(
    "span",
    { class: `sign ${status}` },
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path[status] })),
    h("span", { class: "hidden-text" }, t(`verify.status.${status}`)),
  );
}

/**
 * Return what opens at a touch.
 * @param {string} title
 * @param {() => (Child | Child[])} content Made when it is opened first.
 */
export function opening(title, content) {
  const box = h("div", { class: "stack" });
  const details = h("details", null, h("summary", null, title), box);
  details.addEventListener("toggle", () => {
    if (!box.childNodes.length) fill(box, content());
  });
  return details;
}

/**
 * Return inputs and outcomes as a list of facts. What a program would take stands as it is.
 * @param {[string, string | number | Node][]} facts
 */
export function facts(facts) {
  return h(
    "dl",
    { class: "facts" },
    facts.map(([label, value]) =>
      h(
        "div",
        null,
        h("dt", null, label),
        h("dd", null, value instanceof Node ? value : code(String(value))),
      ),
    ),
  );
}

/**
 * Return what a program would take: a long one from left to right over the whole width.
 * @param {string} text
 */
function code(text) {
  return h("span", { class: text.length > SHORT ? "code long" : "code" }, text);
}

/**
 * Return a line for a terminal.
 * @param {string} line
 */
export function command(line) {
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "small soft" }, t("verify.yourself")),
    h("pre", { class: "code command", tabindex: "0", dir: "ltr" }, line),
  );
}

/**
 * Return who has a seat: the mark of its colour, and the name, or that it is a bot.
 * @param {Report} report
 * @param {number} seat
 * @param {number} [owner] The player's seat at the table, if he has another colour besides.
 */
export function who(report, seat, owner = seat) {
  const sitter = sitterOf(report, owner);
  return h(
    "span",
    { class: "who" },
    mark(report, seat),
    sitter?.nickname ? name(sitter.nickname) : h("span", { class: "name" }, labelOf(report, sitter, seat)),
  );
}

/**
 * The same as text.
 * @param {Report} report
 * @param {number} seat
 */
export function whoText(report, seat) {
  const sitter = sitterOf(report, seat);
  return sitter?.nickname || labelOf(report, sitter, seat);
}

/**
 * @param {Report} report
 * @param {number} seat
 * @returns {Sitter | undefined}
 */
function sitterOf({ seats, sitters, deal }, seat) {
  return sitters[deal?.said[seats.indexOf(seat)] ?? -1];
}

/**
 * @param {Report} report
 * @param {Sitter | undefined} sitter
 * @param {number} seat
 */
function labelOf({ rules }, sitter, seat) {
  return sitter?.bot ? t("seat.bot") : seatName(rules, seat);
}

/**
 * Return the colour and mark of a seat, which are the game's.
 * @param {Report} report
 * @param {number} seat
 */
export function mark({ rules, options }, seat) {
  return h(
    "span",
    { class: "seat-mark" },
    game(rules)?.seatMark(seat, options),
    h("span", { class: "hidden-text" }, seatName(rules, seat)),
  );
}

/**
 * @param {string} rules
 * @param {number} seat
 */
function seatName(rules, seat) {
  return game(rules)?.seatName(seat, {}) ?? number(seat);
}

/**
 * Return what was rolled as a picture: a face of a die, or shells, of which some lie mouth up.
 * @param {{kind: string, shells: number}} roll
 * @param {number} value
 */
export function picture({ kind, shells }, value) {
  return kind === "die" ? face(value) : cowries(shells, value);
}

/** @param {number} value */
function face(value) {
  const spots = PIPS[value].match(/../g) ?? [];
  return s(
    "svg",
    { viewBox: "0 0 4 4", class: "face", "aria-hidden": "true" },
    s("rect", { x: 0.2, y: 0.2, width: 3.6, height: 3.6, rx: 0.7 }),
    spots.map(([x, y]) => s("circle", { cx: Number(x), cy: Number(y), r: 0.36 })),
  );
}

/**
 * @param {number} shells
 * @param {number} mouths
 */
function cowries(shells, mouths) {
  const half = Math.ceil(shells / 2);
  const all = Array.from({ length: shells }, (_, at) => {
    const [x, y] = [(at % half) + 0.5, Math.floor(at / half) * 1.4 + 0.7];
    const up = at < mouths;
    const shell = { cx: x, cy: y, rx: 0.42, ry: 0.6, class: up ? "shell up" : "shell" };
    const mouth = s("path", { d: `M${x} ${y - 0.34}V${y + 0.34}`, class: "mouth" });
    return up ? [s("ellipse", shell), mouth] : [s("ellipse", shell)];
  });
  return s(
    "svg",
    { viewBox: `0 0 ${half} 2.8`, class: "cowries", "aria-hidden": "true" },
    all.flat(),
  );
}
