// @ts-check
/** Every roll with what it was computed from, and how often each face came. */

import { h } from "/page/dom.js";
import { number, t } from "/page/i18n.js";
import { command, face, facts, mark, opening, section, sign, who } from "./parts.js";
import { statusOf } from "./stages.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./check.js").Roll} Roll */

const FACES = [1, 2, 3, 4, 5, 6];
const AT_ONCE = 60; // rolls that are listed before somebody asks for more
const ENOUGH = 30; // rolls, below which it says nothing how often a face came

/** @param {Report} report */
export function rolls(report) {
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
      h("p", null, t("verify.rolls.why_limit")),
      h("pre", { class: "code command", tabindex: "0", dir: "ltr" }, FORMULA),
    ]),
  );
}

const FORMULA = `block j = HMAC-SHA256(secret, "sahrat-roll-v1|MATCH|ROLL|SEAT|NUMBER|SEAT NUMBERS|j")
die     = first byte below 252, of block 0, then 1, ..   mod 6 + 1`;

/** @param {Report} report */
function faces(report) {
  const dice = report.rolls.filter(({ kind }) => kind === "die");
  if (!dice.length) return null;
  const count = (/** @type {Roll[]} */ of) =>
    FACES.map((value) => of.filter((roll) => roll.value === value).length);
  const all = count(dice);
  const head = FACES.map((value) =>
    h("th", { scope: "col" }, face(value), h("span", { class: "hidden-text" }, number(value))),
  );
  const row = (/** @type {Node} */ label, /** @type {number[]} */ counts) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, label),
      counts.map((times) => h("td", { class: "numbers" }, number(times))),
    );
  const total = h("span", null, t("verify.rolls.together"));
  return h(
    "div",
    { class: "stack" },
    h("h3", null, t("verify.rolls.faces")),
    bars(all),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("verify.rolls.faces") },
      h(
        "table",
        { class: "faces" },
        h("thead", null, h("tr", null, h("td", null), head)),
        h(
          "tbody",
          null,
          report.seats.map((seat) => row(who(report, seat), count(dice.filter((r) => r.seat === seat)))),
          row(total, all),
        ),
      ),
    ),
    h("p", { class: "small soft" }, usual(dice.length)),
  );
}

/**
 * Return how often each face came as bars over each other, with a line where all are alike.
 * @param {number[]} counts
 */
function bars(counts) {
  const most = Math.max(...counts, 1);
  const whole = counts.reduce((one, other) => one + other, 0);
  const bar = (/** @type {number} */ times, /** @type {number} */ at) => {
    const filled = h("span", { class: "bar-fill" });
    filled.style.setProperty("--part", String(times / most));
    return h("div", { class: "bar-row" }, face(at + 1), h("span", { class: "bar-way" }, filled));
  };
  const box = h("div", { class: "bars", "aria-hidden": "true" }, counts.map(bar));
  box.style.setProperty("--mean", String(whole / counts.length / most));
  return box;
}

/**
 * Return how often a face is to be expected: two standard deviations around the mean.
 * @param {number} count
 */
function usual(count) {
  if (count < ENOUGH) return t("verify.rolls.few");
  const mean = count / FACES.length;
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
    who(report, roll.seat),
    h("span", { class: "rolled" }, face(roll.value), h("strong", null, number(roll.value))),
    sign(fits ? "good" : "bad"),
  );
  if (!fits) details.open = true;
  return h("li", null, details);
}

/**
 * @param {Report} report
 * @param {Roll} roll
 */
function inputs(report, { index, seat, number: own, value, due, record, drawn, asked }) {
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
      [t("verify.fact.outcome"), `${drawn.byte} mod 6 + 1 = ${due}`],
      [t("verify.fact.said"), value],
    ]),
    drawn.skipped > 0 && h("p", { class: "small soft" }, t("verify.roll.skipped", { count: drawn.skipped })),
    command(`printf %s '${text}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:${secret}`),
  ];
}
