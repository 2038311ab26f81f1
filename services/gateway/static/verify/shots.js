// @ts-check
/**
 * Every shot of a match of Carrom, computed again from the whole numbers that the records hold. What a
 * shot meant, so what went back, is taken from the records: that is for `sahrat verify`.
 */

import { NUMBERS } from "../carrom/phases.js";
import { FRICTIONS_PERCENT, positionBytes, simulate, surface, turned } from "../carrom/shots.js";
import { hex, sha256 } from "./sha256.js";

/** @typedef {import("../carrom/shots.js").Place} Place */
/** @typedef {import("./form.js").Event} Event */

const STRIKER = 0;

export class Shots {
  /** @param {Record<string, string | number>} options Of the table. */
  constructor(options) {
    this.surface = surface(FRICTIONS_PERCENT[options.board_speed]);
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
      case "carrom.debts_paid":
      case "carrom.queen_returned":
        this.places = [...this.places, ...placesOf(event.returned)].sort(([a], [b]) => a - b);
        return event.hash === hashOf(this.places);
      default:
        return true;
    }
  }

  /** @param {Event} event */
  rested(event) {
    const rest = this.shot && computed(this.places, this.shot, this.surface);
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
 * @param {import("../carrom/phases.js").Surface} on
 */
function computed(pieces, { seat, x, dx, dy, speed }, on) {
  /** @type {Place} */
  const striker = [STRIKER, x, NUMBERS.LINE_Y_UM];
  try {
    const rest = simulate({ places: [striker, ...turned(pieces, seat)], dx, dy, speed }, on);
    return { ...rest, places: turned(rest.places, -seat) };
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return null;
  }
}

/**
 * @param {{disc: number, x: number, y: number}[]} shown
 * @returns {Place[]}
 */
function placesOf(shown) {
  return shown.map(({ disc, x, y }) => [disc, x, y]);
}

/**
 * Return the hash of a layout.
 * @param {Place[]} places
 */
function hashOf(places) {
  return hex(sha256(positionBytes(places)));
}
