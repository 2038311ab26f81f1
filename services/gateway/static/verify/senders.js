// @ts-check
/**
 * Who caused a record, and when: that nobody gave a number to a roll that was not his, that no intent
 * counts twice, that no time was put in by hand, and that the places are those that the game gave.
 */

import { Misfit } from "./play.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./check.js").Roll} Roll */
/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./form.js").MatchRecord} MatchRecord */

/** Whom of the house what may come from, where it can come from no player. */
const FROM = /** @type {Record<string, string[]>} */ ({
  "step.timed_out": ["timer"],
  "match.resumed": ["timer"],
  "match.stopped": ["timer", "operator"],
  "player.away": ["gateway", "timer"],
});
const PARTS = ["gateway", "timer", "bots", "wallet", "operator"];

/**
 * @param {MatchRecord[]} records Whose dice fit.
 * @param {Map<number, number>} placed Place by seat, as the game's events give them.
 * @param {Report} report
 */
export function checkSenders(records, placed, report) {
  const intents = /** @type {Map<string, number>} */ (new Map());
  const bots = new Set(); // the players whose seats bots play
  let at_ms = 0;
  let next = 0; // the first roll of the records that are still to come
  for (const record of records) {
    const { sender, intent_id } = record.caused_by;
    at_ms = Math.max(at_ms, record.caused_by.at_ms);
    if (record.at_ms !== at_ms) throw new Misfit({ code: "time", record: record.seq });
    const first = intents.get(`${sender} ${intent_id}`);
    if (first !== undefined) throw new Misfit({ code: "sameIntent", record: record.seq, first });
    intents.set(`${sender} ${intent_id}`, record.seq);
    checkSender(record);
    for (const event of record.events) {
      if (event.type === "player.left" && event.bot) bots.add(event.player_id);
      else if (event.type === "player.present") bots.delete(event.player_id);
      else if (event.type === "match.ended") checkPlaces(record.seq, placed, report);
    }
    for (; report.rolls[next]?.record === record.seq; next++) {
      checkNumber(report.rolls[next], sender, bots, report);
    }
  }
}

/** @param {MatchRecord} record */
function checkSender({ seq, caused_by: { sender }, events }) {
  const [kind, name] = sender.split(":");
  const [first] = events;
  const system = kind === "system" ? name : "";
  if (system && !PARTS.includes(system)) throw new Misfit({ code: "sender", record: seq, sender });
  const decisive = [first, events[events.length - 1]].find(({ type }) => Object.hasOwn(FROM, type));
  if (decisive && !FROM[decisive.type].includes(system)) {
    throw new Misfit({ code: "sender", record: seq, sender });
  }
}

/**
 * Check that a player's roll has a number of his own, and no other has any (rule D.3).
 * @param {Roll} roll
 * @param {string} sender
 * @param {Set<string>} bots
 * @param {Report} report
 */
function checkNumber({ record, asked, owner, number }, sender, bots, { seats, sitters, deal }) {
  if (!asked) return;
  const sitter = sitters[deal?.said[seats.indexOf(owner)] ?? -1];
  if (!sender.startsWith("player:")) {
    if (number !== "") throw new Misfit({ code: "numberGiven", record });
    const plays = sitter?.bot || bots.has(sitter?.playerId);
    if (sender === "system:bots" && !plays) throw new Misfit({ code: "sender", record, sender });
  } else if (number === "") {
    throw new Misfit({ code: "numberMissing", record });
  } else if (sender !== `player:${sitter?.playerId}` || bots.has(sitter.playerId)) {
    throw new Misfit({ code: "sender", record, sender });
  }
}

/**
 * @param {number} record
 * @param {Map<number, number>} placed
 * @param {Report} report
 */
function checkPlaces(record, placed, { places, seats }) {
  const due = [...placed].filter(([seat, place]) => place > 0 && seats.includes(seat));
  due.sort(([oneSeat, one], [otherSeat, other]) => one - other || oneSeat - otherSeat);
  if (String(due) !== String(places)) throw new Misfit({ code: "places", record });
}
