// @ts-check
/** The stages of a check, in their order, and how far one has come. */

/** @typedef {import("./check.js").Report} Report */
/** @typedef {"chain" | "records" | "promise" | "deal" | "start" | "rolls" | "numbers" | "places"} Stage */
/** @typedef {"good" | "bad" | "open"} Status Open: not reached, or not to be known yet. */

/** @type {Stage[]} */
export const STAGES = ["chain", "records", "promise", "deal", "start", "rolls", "numbers", "places"];

/** The stage that finds what does not fit; what is not listed is a break in the chain. */
const FOUND_BY = /** @type {Record<string, Stage>} */ ({
  unreadable: "records",
  otherBytes: "records",
  number: "records",
  otherMatch: "records",
  earlier: "records",
  otherPartition: "records",
  goesOn: "records",
  unknownRules: "records",
  notOpened: "records",
  commitment: "promise",
  freedNobody: "deal",
  seating: "deal",
  deal: "deal",
  start: "start",
  beforePlay: "rolls",
  rollIndex: "rolls",
  roll: "rolls",
  shot: "rolls",
  time: "numbers",
  sameIntent: "numbers",
  sender: "numbers",
  numberGiven: "numbers",
  numberMissing: "numbers",
  places: "places",
  prizes: "places",
});

/**
 * Return how a stage of a check came out.
 * @param {Report} report
 * @param {Stage} stage
 * @returns {Status}
 */
export function statusOf({ problem, secret }, stage) {
  const at = STAGES.indexOf(stage);
  if (problem) {
    const wrong = STAGES.indexOf(FOUND_BY[problem.code] ?? "chain");
    return at < wrong ? "good" : at === wrong ? "bad" : "open";
  }
  return secret || at <= STAGES.indexOf("records") ? "good" : "open";
}
