// @ts-check
/** Every roll with what it was computed from, and how often each face came; or how many shots. */

import { h } from "/page/dom.js";
import { number, t } from "/page/i18n.js";
import { command, facts, mark, opening, picture, section, sign, who } from "./parts.js";
import { statusOf } from "./stages.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./check.js").Roll} Roll */

const AT_ONCE = 60; // rolls that are listed before somebody asks for more
const ENOUGH = 30; // rolls, below which it says nothing how often a face came
const FORMULAS = {
  die: "die = first byte below 252, of block 0, then 1, .., modulo 6, plus 1",
  cowries: "mouths up = 1s among the lowest bits of the first byte of block 0, one bit a shell",
};
const BLOCK = `block j = HMAC-SHA256(secret,
  "sahrat-roll-v1|MATCH|ROLL|SEAT|NUMBER|SEAT NUMBERS|j")`;

/** @param {Report} report */
function shots(report) {
  const status = statusOf(report, "rolls");
  const unreached = status === "open" && report.problem;
  return section(
    status,
    t("verify.shots.title"),
    unreached ? t("verify.unreached") : t(`verify.shots.${status}`, { count: report.shots ?? 0 }),
    opening(t("verify.more"), () => h("p", null, t("verify.shots.how"))),
  );
}

/** @param {Report} report */
export function rolls(report) {
  if (report.shots !== null) return shots(report);
  const status = statusOf(report, "rolls");
  const { rolls } = report;
  if (!rolls.length) {
    const open = report.problem ? t("verify.unreached") : t("verify.rolls.open");
    return report.end ? null : section(status, t("verify.rolls.title"), open);
  }
  const wrong = rolls.find(({ value, due }) => value !== due);
  return section(
    status,
    t("verify.rolls.title"),
    t(`verify.rolls.${status === "bad" && !wrong ? "uncounted" : status}`, { count: rolls.length }),
    wrong && h("ol", { class: "rolls" }, line(report, wrong)),
    faces(report),
    opening(t("verify.rolls.all", { count: rolls.length }), () => list(report)),
    opening(t("verify.formula"), () => [
      h("p", null, t("verify.rolls.how")),
      h("p", null, t(`verify.rolls.${rolls[0].kind}`)),
      h("pre", { class: "code command", tabindex: "0", dir: "ltr" }, `${BLOCK}\n${FORMULAS[rolls[0].kind]}`),
    ]),
  );
}

/** @param {Report} report */
function faces(report) {
  const { rolls, seats } = report;
  const [first] = rolls;
  const values = valuesOf(first);
  const count = (/** @type {Roll[]} */ of) =>
    values.map((value) => of.filter((roll) => roll.value === value).length);
  const fair = values.map((value) => rolls.length * chanceOf(first, value));
  const all = count(rolls);
  const heading = (/** @type {number} */ value) =>
    first.kind === "die"
      ? [picture(first, value), h("span", { class: "hidden-text" }, number(value))]
      : [number(value)];
  const head = values.map((value) => h("th", { scope: "col" }, heading(value)));
  const row = (/** @type {Node | string} */ label, /** @type {number[]} */ counts) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, label),
      counts.map((times) => h("td", { class: "numbers" }, number(Math.round(times)))),
    );
  const theirs = seats.map((seat) =>
    row(who(report, seat), count(rolls.filter(({ owner }) => owner === seat))),
  );
  return h(
    "div",
    { class: "stack" },
    h("h3", null, t("verify.rolls.faces")),
    bars(first, values, all, fair),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("verify.rolls.faces") },
      h(
        "table",
        { class: "faces" },
        h("thead", null, h("tr", null, h("td", null), head)),
        h("tbody", null, theirs, row(t("verify.rolls.together"), all), row(t("verify.rolls.fair"), fair)),
      ),
    ),
    h("p", { class: "small soft" }, usual(first, rolls.length)),
  );
}

/** @param {Roll} roll */
function valuesOf({ kind, shells }) {
  return kind === "die" ? [1, 2, 3, 4, 5, 6] : Array.from({ length: shells + 1 }, (_, n) => n);
}

/**
 * Return how likely a value is in a fair roll.
 * @param {Roll} roll
 * @param {number} value
 */
function chanceOf({ kind, shells }, value) {
  if (kind === "die") return 1 / 6;
  let ways = 1;
  for (let n = 0; n < value; n++) ways = (ways * (shells - n)) / (n + 1);
  return ways / 2 ** shells;
}

/**
 * Return how often each value came as bars over each other, with a line where it was to be expected.
 * @param {Roll} roll
 * @param {number[]} values
 * @param {number[]} counts
 * @param {number[]} fair
 */
function bars(roll, values, counts, fair) {
  const most = Math.max(...counts, ...fair, 1);
  const rows = values.map((value, at) => {
    const filled = h("span", { class: "bar-fill" });
    filled.style.setProperty("--part", String(counts[at] / most));
    const way = h("span", { class: "bar-way" }, filled);
    way.style.setProperty("--fair", String(fair[at] / most));
    return h("div", { class: "bar-row" }, picture(roll, value), way);
  });
  return h("div", { class: "bars", "aria-hidden": "true" }, rows);
}

/**
 * Return how often a value is to be expected; of a face: two standard deviations around the mean.
 * @param {Roll} roll
 * @param {number} count
 */
function usual({ kind }, count) {
  if (count < ENOUGH) return t("verify.rolls.few");
  if (kind !== "die") return t("verify.rolls.usual_cowries");
  const mean = count / 6;
  const around = 2 * Math.sqrt(count * (1 / 6) * (5 / 6));
  return t("verify.rolls.usual", {
    count,
    mean: Math.round(mean),
    low: Math.max(0, Math.ceil(mean - around)),
    high: Math.floor(mean + around),
  });
}

/** @param {Report} report */
function list(report) {
  const all = h("ol", { class: "rolls" });
  const more = h("button", { type: "button", class: "button", onclick: add });
  function add() {
    const from = all.childElementCount;
    const next = report.rolls.slice(from, from + AT_ONCE);
    all.append(...next.map((roll) => line(report, roll)));
    const left = report.rolls.length - all.childElementCount;
    more.hidden = left === 0;
    more.textContent = t("verify.rolls.show_more", { count: Math.min(left, AT_ONCE) });
    if (from > 0) all.children[from].querySelector("summary")?.focus();
  }
  add();
  return [all, more];
}

/**
 * @param {Report} report
 * @param {Roll} roll
 */
function line(report, roll) {
  const fits = roll.value === roll.due;
  const details = opening("", () => inputs(report, roll));
  details.firstElementChild?.append(
    h("span", { class: "roll-number numbers" }, number(roll.index + 1)),
    who(report, roll.seat, roll.owner),
    h("span", { class: "rolled" }, picture(roll, roll.value), h("strong", null, number(roll.value))),
    sign(fits ? "good" : "bad"),
  );
  if (!fits) details.open = true;
  return h("li", null, details);
}

/**
 * @param {Report} report
 * @param {Roll} roll
 */
function inputs(report, roll) {
  const { index, seat, number: own, value, due, record, drawn, asked } = roll;
  const whose = own !== "" ? "own" : asked ? "none" : "start";
  const text = drawn.text.replace("{j}", "0");
  const secret = report.commitment?.secret ?? "";
  return [
    h("p", null, t(`verify.roll.${whose}`)),
    value !== due && h("p", { class: "notice bad" }, t("verify.roll.bad", { value, due })),
    facts([
      [t("verify.fact.record"), record],
      [t("verify.fact.index"), index],
      [t("verify.fact.seat"), h("span", { class: "row" }, mark(report, seat), h("span", { class: "code" }, seat))],
      [t("verify.fact.number"), own || "—"],
      [t("verify.fact.hashed"), text],
      [t("verify.fact.block"), drawn.block],
      [t("verify.fact.byte"), drawn.byte],
      [t("verify.fact.outcome"), outcome(roll)],
      [t("verify.fact.said"), value],
    ]),
    drawn.skipped > 0 && h("p", { class: "small soft" }, t("verify.roll.skipped", { count: drawn.skipped })),
    command(`printf %s '${text}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:${secret}`),
  ];
}

/** @param {Roll} roll */
function outcome({ kind, shells, due, drawn: { byte } }) {
  if (kind === "die") return `${byte} mod 6 + 1 = ${due}`;
  const bits = byte.toString(2).padStart(8, "0").slice(-shells);
  return `${byte} = ..${bits} (binary): ${due}`;
}
