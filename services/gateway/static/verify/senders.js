// @ts-check
/**
 * Who caused a record, and when: that nobody gave a number to a roll that was not his, that no intent
 * counts twice, that no time was put in by hand; and that places and prizes follow from the records.
 */

import { split } from "./coins.js";
import { Misfit } from "./play.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./check.js").Roll} Roll */
/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./form.js").MatchRecord} MatchRecord */
/** @typedef {import("./play.js").Play} Play */

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
 * @param {Play} play What happened in them.
 * @param {Report} report
 */
export function checkSenders(records, play, report) {
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
    // The timer may send one again, and more deadlines may have passed by then.
    if (sender !== "system:timer") intents.set(`${sender} ${intent_id}`, record.seq);
    checkSender(record);
    for (const event of record.events) {
      if (event.type === "player.left" && event.bot) bots.add(event.player_id);
      else if (event.type === "player.present") bots.delete(event.player_id);
      else if (event.type === "entries.settled") checkPrizes(record.seq, event, play, report);
      else if (event.type === "match.ended") checkPlaces(record.seq, play, report);
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
 * Return the places that the game gave the seats at the table, best first.
 * @param {Play} play
 * @param {Report} report
 */
function placesOf({ placed }, { seats }) {
  const due = [...placed].filter(([seat, place]) => place > 0 && seats.includes(seat));
  return due.sort(([oneSeat, one], [otherSeat, other]) => one - other || oneSeat - otherSeat);
}

/**
 * @param {number} record
 * @param {Play} play
 * @param {Report} report
 */
function checkPlaces(record, play, report) {
  if (String(placesOf(play, report)) !== String(report.places)) {
    throw new Misfit({ code: "places", record });
  }
}

/**
 * @param {number} record
 * @param {Event} settled
 * @param {Play} play
 * @param {Report} report
 */
function checkPrizes(record, settled, play, report) {
  const { seats, sitters, deal, entryCoins } = report;
  const pot = entryCoins * seats.length;
  const { fee, prizes } = split(pot, placesOf(play, report), play.gone);
  const due = prizes.map(([seat, coins]) => {
    const sitter = sitters[deal?.said[seats.indexOf(seat)] ?? -1];
    return { seat, player_id: sitter?.playerId, coins };
  });
  const fits = settled.pot_coins === pot && settled.fee_coins === fee;
  if (!fits || JSON.stringify(settled.prizes) !== JSON.stringify(due)) {
    throw new Misfit({ code: "prizes", record });
  }
}
