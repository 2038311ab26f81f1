// @ts-check
/**
 * What chance decided in a match, from record to record: the deal of the seats, who starts, and every
 * roll. With the secret each is drawn again; without it what the records say is only told.
 */

import { Chance, deal } from "./dice.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./form.js").MatchRecord} MatchRecord */
/** @typedef {import("./games.js").GameOfChance} GameOfChance */
/** @typedef {import("./lines.js").Problem} Problem */

/** What only happens before play begins. */
const SEATING = ["table.opened", "seat.taken", "seat.freed", "match.started"];

/** What a check throws where something does not fit. */
export class Misfit extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.code);
    this.problem = problem;
  }
}

export class Play {
  /**
   * @param {GameOfChance} game
   * @param {Record<string, string | number>} options Of the table.
   * @param {Report} report What is found goes into it.
   */
  constructor(game, options, report) {
    this.game = game;
    this.options = options;
    this.report = report;
    /** @type {Uint8Array | null} */
    this.secret = null;
    /** @type {Chance | null} */
    this.chance = null;
    this.shots = game.shots?.(options) ?? null;
    report.shots = this.shots && 0;
    /** @type {number[]} */
    this.colours = [];
    /** The seats of a coin table that left without a place. @type {Set<number>} */
    this.gone = new Set();
    /** Place by seat, as the game's events give them. @type {Map<number, number>} */
    this.placed = new Map();
  }

  /**
   * Take one record.
   * @param {MatchRecord} record
   */
  take(record) {
    for (const event of record.events) this.event(record.seq, event);
    if (record.events.some(({ type }) => type === "match.started")) this.start(record);
  }

  /**
   * @param {number} record
   * @param {Event} event
   */
  event(record, event) {
    const { report } = this;
    if (this.chance && SEATING.includes(event.type)) throw new Misfit({ code: "seating", record });
    switch (event.type) {
      case "seat.taken":
        report.sitters.push({
          playerId: event.player_id,
          nickname: event.nickname,
          number: event.seat_number,
          bot: event.bot,
        });
        break;
      case "seat.freed": {
        const chair = report.sitters.findIndex(({ playerId }) => playerId === event.player_id);
        if (chair !== -1) report.sitters.splice(chair, 1);
        else if (this.secret) throw new Misfit({ code: "freedNobody", record });
        break;
      }
      case "match.started":
        this.deal(record, event);
        break;
      case "match.ended":
        report.places = event.places.map((/** @type {Event} */ { seat, place }) => [seat, place]);
        break;
      case "player.left":
        if (!event.bot && !event.kept) this.gone.add(event.seat);
        break;
      case "entries.settled":
        report.prizes = event.prizes;
        report.feeCoins = event.fee_coins;
        break;
      default:
        this.roll(record, event);
        this.shoot(record, event);
        for (const [seat, place] of this.game.places(event, this.options, this.colours)) {
          this.placed.set(seat, place);
        }
    }
  }

  /**
   * @param {number} record
   * @param {Event} event
   */
  deal(record, event) {
    const { report, secret } = this;
    const numbers = report.sitters.map(({ number }) => number);
    const due = secret ? deal(secret, report.matchId, numbers) : { dealt: [], text: "" };
    report.seats = event.seats;
    this.colours = this.game.colours(this.options, event.seats);
    report.deal = { record, said: event.dealt, due: due.dealt, text: due.text };
    if (!secret) return;
    if (String(event.dealt) !== String(due.dealt)) throw new Misfit({ code: "deal", record });
    this.chance = new Chance(secret, report.matchId, due.dealt.map((sitter) => numbers[sitter]));
  }

  /**
   * @param {MatchRecord} record The one in which play began.
   */
  start(record) {
    if (!this.chance) return;
    const found = this.game.start(record.events, this.colours, this.chance);
    if (!found) return;
    this.report.start = { ...found, record: record.seq };
    const { seat, due } = found;
    if (seat !== due) throw new Misfit({ code: "start", record: record.seq, seat, due });
  }

  /**
   * @param {number} record
   * @param {Event} event
   */
  shoot(record, event) {
    if (!this.shots || !this.secret) return; // once it is over, as the command does
    if (!this.shots.fits(event)) throw new Misfit({ code: "shot", record });
    this.report.shots = this.shots.count;
  }

  /**
   * @param {number} record
   * @param {Event} event
   */
  roll(record, event) {
    const { rolls } = this.report;
    const shown = this.game.shown(event);
    if (!shown || !this.secret) return;
    if (!this.chance) throw new Misfit({ code: "beforePlay", record });
    const { index, seat, value } = shown;
    if (index !== rolls.length) {
      throw new Misfit({ code: "rollIndex", record, index, due: rolls.length });
    }
    const drawn = this.game.draw(shown, this.chance);
    const owner = this.game.seatOf(this.options, seat);
    rolls.push({ ...shown, owner, record, due: drawn.value, drawn });
    if (value !== drawn.value) {
      throw new Misfit({ code: "roll", record, index, seat, shown: value, due: drawn.value });
    }
  }
}
