// @ts-check
/** What a check found, as sections: the verdict, then stage by stage with inputs and formulas. */

import { h } from "/page/dom.js";
import { number, t } from "/page/i18n.js";
import { command, facts, opening, section, sign, who, whoText } from "./parts.js";
import { rolls } from "./rolls.js";
import { statusOf } from "./stages.js";

/** @typedef {import("/page/dom.js").Child} Child */
/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./lines.js").Problem} Problem */

/**
 * Return the verdict, which is to be read first.
 * @param {Report} report
 * @param {Child[]} more What can be done with it.
 */
export function verdict(report, more) {
  const { problem, secret, rolls, shots, records } = report;
  const kind = problem ? "bad" : secret ? "good" : "open";
  const counted = { rolls: rolls.length, shots: shots ?? 0, records };
  const none = shots === null ? "no_rolls" : "shots";
  const key = secret && !rolls.length ? none : kind;
  return h(
    "section",
    { class: `card verdict ${kind}` },
    h(
      "header",
      { class: "stage-head" },
      sign(kind),
      h(
        "div",
        null,
        h("h2", { id: "verdict", tabindex: "-1" }, t(`verify.verdict.${kind}.title`)),
        problem
          ? h("p", { class: "found" }, inWords(report, problem))
          : h("p", null, t(`verify.verdict.${key}.text`, counted)),
      ),
    ),
    problem && h("p", { class: "soft" }, t("verify.verdict.bad.text")),
    h("div", { class: "row" }, more),
  );
}

/**
 * Return in words what does not fit.
 * @param {Report} report
 * @param {Problem} problem
 */
function inWords(report, problem) {
  const filling = { ...problem };
  if (typeof problem.seat === "number") filling.who = whoText(report, problem.seat);
  if (problem.code === "start") filling.right = whoText(report, Number(problem.due));
  if (typeof problem.index === "number") filling.roll = problem.index + 1;
  if (problem.code === "rollIndex") filling.due = Number(problem.due) + 1;
  return t(`verify.problem.${problem.code}`, filling);
}

/**
 * Return the stages of a check, what does not fit before the others.
 * @param {Report} report
 * @param {Uint8Array[]} lines
 * @returns {Child[]}
 */
export function sections(report, lines) {
  const stages = [
    promise(report),
    deal(report),
    start(report),
    rolls(report),
    numbers(report),
    places(report),
    chain(report, lines),
  ];
  const wrong = stages.filter((stage) => stage?.classList.contains("bad"));
  return [...wrong, ...stages.filter((stage) => !wrong.includes(stage)), limits(report)];
}

/**
 * Return in words how a stage came out.
 * @param {Report} report
 * @param {import("./stages.js").Stage} stage
 * @param {import("/page/i18n.js").Filling} [counted]
 */
export function outcome(report, stage, counted) {
  const status = statusOf(report, stage);
  if (status === "open" && report.problem) return t("verify.unreached");
  return t(`verify.${stage}.${status}`, counted);
}

/** @param {Report} report */
function promise(report) {
  const status = statusOf(report, "promise");
  const { commitment, matchId, promised } = report;
  const title = t("verify.promise.title");
  if (!commitment) {
    const published = promised !== "" && facts([[t("verify.fact.promised"), promised]]);
    return section("open", title, outcome(report, "promise"), published);
  }
  const { text, secret, digest, key } = commitment;
  return section(
    status,
    title,
    outcome(report, "promise"),
    opening(t("verify.formula"), () => [
      h("p", null, t("verify.promise.how")),
      facts([
        [t("verify.fact.promised"), promised],
        [t("verify.fact.secret"), secret],
        [t("verify.fact.hashed"), text],
        [t("verify.fact.computed"), digest],
        [t("verify.fact.match"), matchId],
        [t("verify.fact.key"), key],
      ]),
      command(`printf %s '${text}' | openssl dgst -sha256`),
    ]),
  );
}

/** @param {Report} report */
function deal(report) {
  const status = statusOf(report, "deal");
  const { deal, sitters, seats } = report;
  if (!deal) {
    const none = report.problem ? outcome(report, "deal") : t("verify.deal.none");
    return section("open", t("verify.deal.title"), none);
  }
  const rows = seats.map((seat, at) =>
    h(
      "tr",
      null,
      h("td", null, who(report, seat)),
      h("td", null, h("span", { class: "code" }, sitters[deal.said[at]]?.number || "—")),
    ),
  );
  const heads = ["player", "number"].map((key) =>
    h("th", { scope: "col" }, t(`verify.deal.${key}`)),
  );
  return section(
    status,
    t("verify.deal.title"),
    outcome(report, "deal"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": t("verify.deal.title") },
      h(
        "table",
        null,
        h("thead", null, h("tr", null, heads)),
        h("tbody", null, rows),
      ),
    ),
    deal.text !== "" &&
      opening(t("verify.formula"), () => [
        h("p", null, t("verify.deal.how")),
        facts([
          [t("verify.fact.hashed"), deal.text],
          [t("verify.fact.order_computed"), deal.due.join(", ")],
          [t("verify.fact.order_said"), deal.said.join(", ")],
        ]),
        h("p", { class: "small soft" }, t("verify.block")),
      ]),
  );
}

/** @param {Report} report */
function start(report) {
  const { start } = report;
  if (!start) return null;
  const drawn = start.drawn;
  return section(
    statusOf(report, "start"),
    t("verify.start.title"),
    t(`verify.start.${drawn ? "lot" : "highest"}`, { who: whoText(report, start.seat) }),
    drawn &&
      opening(t("verify.formula"), () => [
        h("p", null, t("verify.start.how", { count: start.among })),
        facts([
          [t("verify.fact.hashed"), drawn.text],
          [t("verify.fact.block"), drawn.block],
          [t("verify.fact.byte"), drawn.byte],
          [t("verify.fact.outcome"), `${drawn.byte} mod ${start.among} = ${drawn.value}`],
        ]),
      ]),
  );
}

/** @param {Report} report */
function numbers(report) {
  const status = statusOf(report, "numbers");
  if (!report.deal || !report.secret) return null;
  const asked = report.rolls.filter((roll) => roll.asked);
  const own = asked.filter((roll) => roll.number !== "").length;
  const counted = { own, other: asked.length - own };
  return section(
    status,
    t("verify.numbers.title"),
    report.shots !== null && status === "good"
      ? t("verify.numbers.shots")
      : outcome(report, "numbers", counted),
    opening(t("verify.more"), () => h("p", null, t("verify.numbers.how"))),
  );
}

/** @param {Report} report */
function places(report) {
  const status = statusOf(report, "places");
  const { places, prizes, feeCoins, end } = report;
  if (!places.length) return end ? ended(report) : null;
  const coins = new Map(prizes.map((prize) => [prize.seat, prize.coins]));
  return section(
    status,
    t("verify.places.title"),
    status === "good" && prizes.length ? t("verify.places.paid") : outcome(report, "places"),
    h(
      "ol",
      { class: "places" },
      places.map(([seat, place]) =>
        h(
          "li",
          null,
          h("strong", { class: "place" }, number(place)),
          who(report, seat),
          coins.has(seat) &&
            h("span", { class: "tag brass" }, t("verify.places.coins", { count: coins.get(seat) ?? 0 })),
        ),
      ),
    ),
    prizes.length > 0 && h("p", { class: "soft" }, t("verify.places.fee", { count: feeCoins })),
  );
}

/** @param {Report} report */
function ended(report) {
  const how = report.end === "match.stopped" ? "stopped" : "closed";
  return section(statusOf(report, "places"), t("verify.places.title"), t(`verify.places.${how}`));
}

/**
 * @param {Report} report
 * @param {Uint8Array[]} lines
 */
function chain(report, lines) {
  const [links, records] = [statusOf(report, "chain"), statusOf(report, "records")];
  const status = links === "good" ? records : links;
  return section(
    status,
    t("verify.chain.title"),
    t(`verify.chain.${status}`, { count: report.records }),
    opening(t("verify.formula"), () => [
      h("p", null, t("verify.chain.how")),
      facts([
        [t("verify.fact.last_digest"), report.digest],
        [t("verify.fact.match"), report.matchId],
        [t("verify.fact.rules"), report.rules],
      ]),
      command("sed -n 1p match.jsonl | tr -d '\\n' | sha256sum"),
      h("p", { class: "small soft" }, t("verify.chain.first")),
      h("pre", { class: "code command", tabindex: "0", dir: "ltr" }, shown(lines[0])),
    ]),
  );
}

/** @param {Uint8Array} line */
function shown(line) {
  return new TextDecoder().decode(line).replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, "?");
}

/** @param {Report} report */
function limits({ digest }) {
  return h(
    "section",
    { class: "card" },
    h("h2", null, t("verify.limits.title")),
    h(
      "ul",
      { class: "limits" },
      h("li", null, t("verify.limits.house")),
      h("li", null, t("verify.limits.last"), " ", h("span", { class: "code" }, digest)),
      h("li", null, t("verify.limits.rules"), " ", h("span", { class: "code" }, "sahrat verify")),
    ),
  );
}
