// @ts-check
/** What was asked for and is not answered yet: sent again until it is, and it counts once. */
import { Refused } from "/net/account.js";
import { uuid7 } from "/net/ids.js";

/**
 * @typedef {object} Wish
 * @property {{[field: string]: any}} message
 * @property {number} askedAt
 * @property {number} sentAt
 * @property {number} tries
 * @property {(matchId: string) => void} done
 * @property {(why: Refused) => void} failed
 */

const AGAIN_MS = 2_000; // without an answer for so long the same wish is sent again
const TRIES = 10;
const PATIENCE_MS = 30_000; // then it is given up: who asked has long turned to something else
const FOR_NOW = ["late", "house_busy", "too_fast", "not_in_control", "not_signed_in"];

export class Wishes {
  /**
   * @param {() => number} now The house's time.
   * @param {(message: object) => boolean} say False where nothing can be said now.
   */
  constructor(now, say) {
    this.now = now;
    this.say = say;
    /** @type {Map<string, Wish>} */
    this.open = new Map();
  }

  /**
   * Ask for something until it is answered.
   * @param {{[field: string]: any}} message
   * @returns {Promise<string>} The match's id. Rejected with `Refused`.
   */
  ask(message) {
    return new Promise((done, failed) => {
      this.send({ message: { ...message }, askedAt: performance.now(), sentAt: -Infinity, tries: 0, done, failed });
    });
  }

  /** Send what had no answer for too long, and end what has waited for long enough; to be called now and then. */
  tend() {
    const now = performance.now();
    for (const wish of [...this.open.values()]) {
      if (now - wish.askedAt >= PATIENCE_MS) this.giveUp(wish);
      else if (now - wish.sentAt >= AGAIN_MS) this.send(wish);
    }
  }

  /** Send all of it now: there is a new line. */
  repeat() {
    for (const wish of [...this.open.values()]) this.send(wish);
  }

  /** @param {Wish} wish */
  send(wish) {
    if (wish.sentAt === -Infinity) this.name(wish);
    if (this.say(wish.message)) wish.sentAt = performance.now();
  }

  /**
   * Name a wish that was never said by this moment: before the house has told its time there is
   * only the device's clock, hours off perhaps, and the house refuses an opening of such a time.
   * @param {Wish} wish
   */
  name(wish) {
    this.open.delete(wish.message.intent_id);
    wish.message.intent_id = uuid7(this.now());
    this.open.set(wish.message.intent_id, wish);
  }

  /**
   * @param {string} intentId
   * @param {string} matchId
   */
  settle(intentId, matchId) {
    this.open.get(intentId)?.done(matchId);
    this.open.delete(intentId);
  }

  /**
   * Take a refusal. One that says nothing of what was asked for is not the last word: the same is
   * asked again in a moment.
   * @param {{intent_id: string, reason: string, detail: string}} refusal
   * @returns {string | null} The match whose seat has to be taken first, if that is why.
   */
  refused({ intent_id, reason, detail }) {
    const wish = this.open.get(intent_id);
    if (!wish) return null; // the second copy of a wish that is settled
    wish.tries += 1;
    if (FOR_NOW.includes(reason) && wish.tries < TRIES) {
      wish.sentAt = performance.now() - AGAIN_MS / 2;
      return reason === "not_in_control" ? wish.message.match_id : null;
    }
    this.open.delete(intent_id);
    wish.failed(new Refused(reason, detail));
    return null;
  }

  /** @param {Wish} wish */
  giveUp(wish) {
    this.open.delete(wish.message.intent_id);
    wish.failed(new Refused("no_line"));
  }

  /** Give all of it up. */
  drop() {
    for (const wish of [...this.open.values()]) this.giveUp(wish);
  }
}
