// @ts-check
/**
 * One match, drawn from its records alone: each continues the one before by its digest. What the
 * house has not stored is not here, and what does not fit is said.
 */
import { game } from "/games/all.js";
import { fold } from "/match/fold.js";
import { sha256 } from "/verify/sha256.js";

/** @typedef {import("/net/protocol.js").LogRecord} LogRecord */
/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/**
 * A record that came, with the match after it; `old`: it happened before this device looked.
 * @typedef {{record: LogRecord, state: MatchState, old: boolean}} Step
 */

const GENESIS = "0".repeat(64);
const encoder = new TextEncoder();

export class Followed {
  /**
   * @param {string} id
   * @param {string} player Who looks.
   */
  constructor(id, player) {
    this.id = id;
    this.player = player;
    this.seq = 0;
    this.digest = GENESIS;
    /** @type {MatchState | null} */
    this.state = null;
    /** All records seen, oldest first. @type {Step[]} */
    this.steps = [];
    /** The last snapshot that this device went on from; 0 and no digest: none. */
    this.start = { seq: 0, digest: "" };
    /** Where pieces come to that may be chosen after a record. @type {import("/net/protocol.js").Ways | null} */
    this.way = null;
    /** The newest record that the house had when this device looked. */
    this.known = 0;
    /** The first record that did not fit what was seen before. @type {number | null} */
    this.doubt = null;
    /** The house has been asked for what is missing, and has not answered yet. */
    this.asking = false;
    /** Another device of this player holds the seat. */
    this.takenOver = false;
    /** Why the house does not show it. @type {string | null} */
    this.gone = null;
  }

  get over() {
    return ["ended", "stopped", "closed"].includes(this.state?.phase ?? "");
  }

  /** This player at the table, or null for who looks on. */
  get me() {
    return this.state?.sitters.find((one) => this.player && one.player_id === this.player) ?? null;
  }

  get game() {
    return this.state && game(this.state.rules);
  }

  /** Whether this player is to act now. */
  get myTurn() {
    const [state, me] = [this.state, this.me];
    if (!state || !me || state.phase !== "playing" || this.takenOver) return false;
    return me.seat !== null && state.step_seat === me.seat && !me.bot && !me.left;
  }

  /** Where pieces come to that this player may choose now, as far as the house has told it. */
  get ways() {
    return this.way?.seq === this.seq ? this.way.ways : [];
  }

  /** Take what is told before its record. @param {import("/net/protocol.js").Ways} ways */
  told(ways) {
    this.way = ways;
  }

  /**
   * @param {number} seq The newest record of the house.
   * @param {boolean} mine This device holds a seat.
   */
  watching(seq, mine) {
    this.known = seq;
    this.gone = null;
    this.asking = false;
    if (mine) this.takenOver = false;
  }

  /** @param {string} reason */
  unseen(reason) {
    this.gone = reason;
  }

  /**
   * Go on from a snapshot.
   * @param {import("/net/protocol.js").Snapshot} snapshot
   */
  load(snapshot) {
    const same = snapshot.seq === this.seq && this.seq > 0;
    if (same && snapshot.digest !== this.digest) this.doubt ??= snapshot.seq;
    this.seq = snapshot.seq;
    this.digest = snapshot.digest;
    this.state = snapshot.state;
    this.start = { seq: snapshot.seq, digest: snapshot.digest };
    this.gone = null;
  }

  /**
   * Take a record; true if the house has to be asked for what is missing.
   * @param {string} text Its very bytes, as text.
   * @param {LogRecord} record
   */
  take(text, record) {
    if (record.seq <= this.seq) return false;
    if (record.seq > this.seq + 1) return this.ask();
    if (record.prev !== this.digest && this.doubt === null) {
      this.doubt = record.seq; // said from now on; what is shown is what the house has
      this.seq = 0;
      this.digest = GENESIS;
      this.state = null;
      this.steps = [];
      return this.ask();
    }
    this.seq = record.seq;
    this.digest = digestOf(text);
    this.state = fold(this.state, record);
    this.steps.push({ record, state: this.state, old: record.seq <= this.known });
    return false;
  }

  /** Return whether to ask for what is missing: once until the house answers. */
  ask() {
    const first = !this.asking;
    this.asking = true;
    return first;
  }
}

/** The digest of a record. @param {string} text Its very bytes, as text. */
export function digestOf(text) {
  return hex(sha256(encoder.encode(text)));
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
