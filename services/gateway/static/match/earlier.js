// @ts-check
/**
 * What happened before this device looked: where it went on from a snapshot, the records up to that
 * are read afterwards, for whoever wants to see the moves. They too must continue each other.
 */
import { digestOf } from "/match/followed.js";
import { readLines } from "/net/account.js";

/** @typedef {import("/match/followed.js").Followed} Followed */
/** @typedef {import("/match/followed.js").Step} Step */

const MOST = 150; // records before the snapshot that are read
const AGAIN_MS = 1_500; // what is read is a moment behind the play
const TRIES = 4;

export class Earlier {
  /**
   * @param {Followed} match
   * @param {(step: Step) => void} take Given each record, oldest first.
   * @param {() => void} missing Told that some could not be read.
   */
  constructor(match, take, missing) {
    this.match = match;
    this.take = take;
    this.missing = missing;
    this.reached = 0;
    this.digest = "";
    this.reading = false;
  }

  /** Read what is missing before the newest snapshot, if anything is; it may have come just now. */
  async read() {
    if (this.reading) return;
    this.reading = true;
    while (this.reached < this.match.start.seq) {
      const { start } = this.match;
      if (!(await this.upTo(start))) this.missing();
      this.reached = start.seq;
    }
    this.reading = false;
  }

  /**
   * @param {{seq: number, digest: string}} start
   * @returns {Promise<boolean>} Whether all of it came.
   */
  async upTo(start) {
    const seen = this.match.steps.map(({ record }) => record.seq).filter((seq) => seq <= start.seq);
    this.after(Math.max(this.reached, start.seq - MOST, ...seen));
    for (let tries = 0; this.reached < start.seq && tries < TRIES; tries += 1) {
      if (tries > 0) await new Promise((done) => setTimeout(done, AGAIN_MS));
      try {
        const lines = await readLines(`/api/matches/${this.match.id}/records?after=${this.reached}`);
        for (const line of lines) if (this.reached < start.seq) this.record(line, start);
      } catch {
        // asked again in a moment; if that does not help either it is said
      }
    }
    return this.reached === start.seq;
  }

  /** Go on after a record; nothing is known of its digest, if it is not the last that was read. */
  after(/** @type {number} */ seq) {
    if (seq !== this.reached) this.digest = "";
    this.reached = seq;
  }

  /**
   * @param {string} text
   * @param {{seq: number, digest: string}} start
   */
  record(text, start) {
    /** @type {import("/net/protocol.js").LogRecord} */
    const record = JSON.parse(text);
    const { state } = this.match;
    if (record.seq !== this.reached + 1 || !state) throw new Error("a record is missing");
    const digest = digestOf(text);
    const continues = this.digest === "" || record.prev === this.digest;
    if (!continues || (record.seq === start.seq && digest !== start.digest)) this.match.doubt ??= record.seq;
    this.reached = record.seq;
    this.digest = digest;
    const sitters = state.sitters.map((one) => (one.nickname ? { ...one, bot: false } : one)); // who was a bot then is not told
    this.take({ record, state: { ...state, sitters }, old: true });
  }
}
