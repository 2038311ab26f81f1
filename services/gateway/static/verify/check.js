// @ts-check
/**
 * Check a match from its records alone: what `sahrat verify` checks of digests, dice and shots, in the
 * same order, so that both name the same thing that does not fit. What the pieces do by the rules of
 * the game is that command's alone.
 */

import { commitment } from "./dice.js";
import { read } from "./form.js";
import { GAMES, PARTITIONS } from "./forms.js";
import { GAMES_OF_CHANCE } from "./games.js";
import { broken, heading, link } from "./lines.js";
import { Misfit, Play } from "./play.js";
import { checkSenders } from "./senders.js";
import { fromHex, sha256 } from "./sha256.js";

/** @typedef {import("./form.js").MatchRecord} MatchRecord */
/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./lines.js").Problem} Problem */
/** @typedef {import("./dice.js").Drawn} Drawn */
/** @typedef {import("./games.js").Shown} Shown */
/** @typedef {import("./games.js").Start} Start */

/** @typedef {{playerId: string, nickname: string, number: string, bot: boolean}} Sitter */
/**
 * `owner`: the seat at the table whose colour rolled.
 * @typedef {Shown & {owner: number, record: number, due: number, drawn: Drawn}} Roll
 */

/**
 * What was found.
 * @typedef {object} Report
 * @property {string} matchId
 * @property {string} rules
 * @property {number} records
 * @property {string} digest Of the last record.
 * @property {Problem | null} problem The first thing that does not fit.
 * @property {boolean} secret Whether the secret was there: without it only the chain can be checked.
 * @property {string} end The type of the last event; empty while the match is on.
 * @property {Record<string, string | number>} options Of the table.
 * @property {number} entryCoins
 * @property {string} promised The commitment in the first record.
 * @property {{key: string, text: string, secret: string, digest: string} | null} commitment
 *   The revealed secret, and what is promised if it is the one.
 * @property {Sitter[]} sitters Who sat there when play began, in the order of sitting down.
 * @property {number[]} seats The seats that play began with.
 * @property {{record: number, said: number[], due: number[], text: string} | null} deal
 * @property {(Start & {record: number}) | null} start
 * @property {Roll[]} rolls
 * @property {number | null} shots How many were computed again; null where the game has none.
 * @property {[number, number][]} places (seat, place), best place first.
 * @property {{seat: number, coins: number}[]} prizes
 * @property {number} feeCoins
 */

export const FINAL = ["match.ended", "match.stopped", "table.closed"];

/**
 * Check a match's records, and yield now and then how much of it is done, from 0 to 1.
 * @param {Uint8Array[]} lines The records' bytes as stored, from the first on.
 * @param {string} [head] The digest of the last record that somebody saw.
 * @returns {Generator<number, Report | null>} Null: these are no records at all.
 */
export function* check(lines, head = "") {
  const report = empty(lines);
  const links = [];
  for (const [at, line] of lines.entries()) {
    links.push(link(line));
    if (at % 16 === 0) yield (0.4 * at) / lines.length;
  }
  if (!links.some(({ prev }) => prev !== "")) return null;
  report.digest = links[links.length - 1].digest;
  report.problem = broken(lines, links, head);
  if (report.problem) return report;
  try {
    yield* contents(lines, report);
  } catch (misfit) {
    if (!(misfit instanceof Misfit)) throw misfit;
    report.problem = misfit.problem;
  }
  return report;
}

/**
 * Check a match's records at once.
 * @param {Uint8Array[]} lines
 * @param {string} [head]
 */
export function verify(lines, head) {
  const steps = check(lines, head);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * @param {Uint8Array[]} lines
 * @returns {Report}
 */
function empty(lines) {
  return {
    ...(lines.length ? heading(lines[0]) : { matchId: "", rules: "" }),
    records: lines.length,
    digest: "",
    problem: null,
    secret: false,
    end: "",
    options: {},
    entryCoins: 0,
    promised: "",
    commitment: null,
    sitters: [],
    seats: [],
    deal: null,
    start: null,
    rolls: [],
    shots: null,
    places: [],
    prizes: [],
    feeCoins: 0,
  };
}

/**
 * @param {Uint8Array[]} lines
 * @param {Report} report
 */
function* contents(lines, report) {
  /** @type {MatchRecord[]} */
  const records = [];
  for (const [at, line] of lines.entries()) {
    const found = read(line);
    if ("fault" in found) throw new Misfit({ code: found.fault, record: at + 1 });
    records.push(found.record);
    if (at % 16 === 0) yield 0.4 + (0.2 * at) / lines.length;
  }
  const [first] = records;
  checkHeaders(records);
  const game = Object.hasOwn(GAMES, first.rules) ? GAMES[first.rules].game : "";
  if (!Object.hasOwn(GAMES_OF_CHANCE, game)) {
    throw new Misfit({ code: "unknownRules", record: 1, rules: first.rules });
  }
  const [opened] = first.events;
  if (opened.type !== "table.opened") throw new Misfit({ code: "notOpened", record: 1 });
  report.options = opened.options;
  report.entryCoins = opened.entry_coins;
  report.promised = opened.commitment;
  const last = records[records.length - 1].events.at(-1);
  const over = last !== undefined && FINAL.includes(last.type);
  const play = new Play(GAMES_OF_CHANCE[game], opened.options, report);
  if (over) {
    report.end = last.type;
    report.secret = true;
    play.secret = revealed(opened, last.secret, records, report);
  }
  for (const [at, record] of records.entries()) {
    play.take(record);
    if (at % 16 === 0) yield 0.6 + (0.4 * at) / records.length;
  }
  if (over) checkSenders(records, play, report);
}

/**
 * Return the secret that the last record reveals, if it is the one that the first commits to.
 * @param {Event} opened
 * @param {string} secret In hex.
 * @param {MatchRecord[]} records
 * @param {Report} report
 */
function revealed(opened, secret, records, report) {
  const { text, digest } = commitment(secret, records[0].match_id);
  report.commitment = { key: opened.key_id, text, secret, digest };
  if (digest !== report.promised) throw new Misfit({ code: "commitment", record: records.length });
  return fromHex(secret);
}

/**
 * Check that the records are one match's, one after the other, and that only the last ends it.
 * @param {MatchRecord[]} records
 */
function checkHeaders(records) {
  const [first] = records;
  const partition = partitionOf(first.match_id);
  let offset = -1;
  for (const [at, record] of records.entries()) {
    const number = at + 1;
    if (record.seq !== number) throw new Misfit({ code: "number", record: number, says: record.seq });
    if (record.match_id !== first.match_id || record.rules !== first.rules) {
      throw new Misfit({ code: "otherMatch", record: number });
    }
    if (record.caused_by.offset <= offset) throw new Misfit({ code: "earlier", record: number });
    offset = record.caused_by.offset;
    if (record.caused_by.partition !== partition) {
      throw new Misfit({ code: "otherPartition", record: number });
    }
    const events = number === records.length ? record.events.slice(0, -1) : record.events;
    if (events.some(({ type }) => FINAL.includes(type))) {
      throw new Misfit({ code: "goesOn", record: number });
    }
  }
}

/**
 * Return the partition of the log where a match is: its id's digest, as a number, modulo their count.
 * @param {string} matchId
 */
function partitionOf(matchId) {
  const digest = sha256(new TextEncoder().encode(matchId)).subarray(0, 8);
  return digest.reduce((rest, byte) => (rest * 256 + byte) % PARTITIONS, 0);
}
