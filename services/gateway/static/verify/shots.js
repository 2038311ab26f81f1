// @ts-check
/**
 * Every shot of a match of Carrom, computed again from the whole numbers that the records hold. What a
 * shot meant, so what went back, is taken from the records: that is for `sahrat verify`.
 */

import { NUMBERS } from "../carrom/phases.js";
import { simulate } from "../carrom/shots.js";
import { hex, sha256 } from "./sha256.js";

/** @typedef {import("../carrom/shots.js").Place} Place */
/** @typedef {import("./form.js").Event} Event */

const STRIKER = 0;
const FULL_TURN = 4; // quarters

export class Shots {
  constructor() {
    /** So many were computed. */
    this.count = 0;
    /** What lies on the board, without the striker, in the board's frame. @type {Place[]} */
    this.places = [];
    /** The shot whose end is due. @type {Event | null} */
    this.shot = null;
  }

  /**
   * Take an event, and return whether it says what the records before it give.
   * @param {Event} event
   */
  fits(event) {
    switch (event.type) {
      case "carrom.board_laid":
        this.places = placesOf(event.places);
        return event.hash === hashOf(this.places);
      case "carrom.striker_shot":
        this.shot = event;
        return true;
      case "carrom.discs_rested":
        return this.rested(event);
      case "carrom.shot_judged":
        this.places = [...this.places, ...placesOf(event.returned)].sort(([a], [b]) => a - b);
        return event.hash === hashOf(this.places);
      default:
        return true;
    }
  }

  /** @param {Event} event */
  rested(event) {
    const rest = this.shot && computed(this.places, this.shot);
    this.shot = null;
    const shown = placesOf(event.places);
    this.places = shown.filter(([disc]) => disc !== STRIKER);
    if (!rest) return false;
    this.count += 1;
    return (
      String(shown) === String(rest.places) &&
      String(event.pocketed) === String(rest.fallen) &&
      event.steps === rest.steps &&
      event.hash === hashOf(rest.places)
    );
  }
}

/**
 * Return what comes of a shot, in the board's frame; null where it is none.
 * @param {Place[]} pieces
 * @param {Event} shot
 */
function computed(pieces, { seat, x, dx, dy, speed }) {
  /** @type {Place} */
  const striker = [STRIKER, x, NUMBERS.LINE_Y_UM];
  try {
    const rest = simulate({ places: [striker, ...turned(pieces, seat)], dx, dy, speed });
    return { ...rest, places: turned(rest.places, FULL_TURN - seat) };
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return null;
  }
}

/**
 * Return places turned clockwise about the centre by quarters.
 * @param {Place[]} places
 * @param {number} quarters
 * @returns {Place[]}
 */
function turned(places, quarters) {
  let found = places;
  for (let turn = 0; turn < quarters % FULL_TURN; turn++) {
    found = found.map(([disc, x, y]) => /** @type {Place} */ ([disc, y, 0 - x]));
  }
  return found;
}

/**
 * @param {{disc: number, x: number, y: number}[]} shown
 * @returns {Place[]}
 */
function placesOf(shown) {
  return shown.map(({ disc, x, y }) => [disc, x, y]);
}

/**
 * Return the SHA-256 of a layout: x, y and 1 of each disc as 32-bit integers, the lowest byte first.
 * @param {Place[]} places
 */
function hashOf(places) {
  const bytes = new DataView(new ArrayBuffer(NUMBERS.DISCS * 12));
  for (const [disc, x, y] of places) {
    [x, y, 1].forEach((value, at) => bytes.setInt32(disc * 12 + at * 4, value, true));
  }
  return hex(sha256(new Uint8Array(bytes.buffer)));
}
