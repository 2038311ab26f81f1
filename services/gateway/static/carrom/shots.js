// @ts-check
/**
 * A shot in whole numbers: what is pushed from where, and where everything rests.
 *
 * A port of `shared/sahrat/games/carrom/physics/shots.py`, where the why stands; `phases` has the
 * arithmetic. Where a number is turned round it is `0 - v`, never `-v`: a minus zero is another bit.
 */

import { NUMBERS, run } from "./phases.js";

/** @typedef {import("./phases.js").Discs} Discs */
/** @typedef {import("./phases.js").Surface} Surface */

/**
 * A disc that is on the board: its id, x and y, whole numbers.
 * @typedef {readonly [number, number, number]} Place
 */

/**
 * A push of the striker, in the frame of whoever shoots; all whole numbers.
 * @typedef {object} Shot
 * @property {readonly Place[]} places Every disc on the board, ascending by id, so the striker first.
 * @property {number} dx The direction, a vector of any length ..
 * @property {number} dy .. with dy.
 * @property {number} speed At the start, um/s.
 */

/**
 * What came of a shot, in the same frame.
 * @typedef {object} Rest
 * @property {Place[]} places Every disc that is left, ascending by id.
 * @property {number[]} fallen The ids that fell, in order.
 * @property {number} steps How many steps of 1/256 s found a disc moving.
 */

/** The friction of boards by the option `board_speed`. @type {Record<string, number>} */
export const FRICTIONS_PERCENT = { normal: NUMBERS.FRICTION_PERCENT, slow: 16, fast: 9 };

/**
 * Return what discs move on.
 * @param {number} frictionPercent
 * @returns {Surface}
 */
export function surface(frictionPercent) {
  return Object.freeze({
    slowing: (frictionPercent * NUMBERS.GRAVITY_UM_S2) / 100,
    discBounce: NUMBERS.DISC_BOUNCE_PERCENT / 100,
    cushionBounce: NUMBERS.CUSHION_BOUNCE_PERCENT / 100,
  });
}

export const BOARD = surface(NUMBERS.FRICTION_PERCENT);

// ---- whole numbers in, whole numbers out

/**
 * Return where everything rests after a shot.
 * @param {Shot} shot
 * @param {Surface} [on]
 * @returns {Rest}
 * @throws {RangeError} The physics is not made for such a shot.
 */
export function simulate(shot, on = BOARD) {
  const discs = placed(shot);
  return atRest(discs, run(discs, on));
}

/**
 * Return the discs with ids below `count` at the moment of the shot. A page that shows the shot
 * moves them on by `step` until that returns 0, and then asks `atRest`.
 * @param {Shot} shot
 * @param {number} [count]
 * @returns {Discs}
 * @throws {RangeError} The physics is not made for such a shot.
 */
export function placed(shot, count = NUMBERS.DISCS) {
  check(shot, count);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const present = new Int32Array(count);
  for (const [disc, xUm, yUm] of shot.places) {
    x[disc] = xUm;
    y[disc] = yUm;
    present[disc] = 1;
  }
  const vx = new Float64Array(count);
  const vy = new Float64Array(count);
  const length = Math.sqrt(shot.dx * shot.dx + shot.dy * shot.dy);
  vx[0] = (shot.speed * shot.dx) / length;
  vy[0] = (shot.speed * shot.dy) / length;
  const radius = new Float64Array(count).fill(NUMBERS.COIN_RADIUS_UM);
  const lightness = new Float64Array(count).fill(1000.0 / NUMBERS.COIN_MG);
  radius[0] = NUMBERS.STRIKER_RADIUS_UM;
  lightness[0] = 1000.0 / NUMBERS.STRIKER_MG;
  return {
    x,
    y,
    vx,
    vy,
    radius,
    lightness,
    present,
    fallen: new Int32Array(count).fill(-1),
    ux: new Float64Array(count),
    uy: new Float64Array(count),
    speed: new Float64Array(count),
    moving: new Int32Array(count),
  };
}

/**
 * Return where discs lie, each coordinate rounded to the nearest um.
 * @param {Discs} discs
 * @param {number} steps
 * @returns {Rest}
 */
export function atRest(discs, steps) {
  /** @type {Place[]} */
  const places = [];
  for (let disc = 0; disc < discs.x.length; disc++) {
    if (discs.present[disc]) {
      places.push([disc, Math.floor(discs.x[disc] + 0.5), Math.floor(discs.y[disc] + 0.5)]);
    }
  }
  return { places, fallen: Array.from(discs.fallen).filter((disc) => disc >= 0), steps };
}

/**
 * See to it that the physics is made for a shot.
 * @param {Shot} shot
 * @param {number} [count]
 * @throws {RangeError} It is not.
 */
export function check(shot, count = NUMBERS.DISCS) {
  const numbers = [...shot.places.flat(), shot.dx, shot.dy, shot.speed];
  const ids = shot.places.map(([disc]) => disc);
  const longest = Math.max(Math.abs(shot.dx), Math.abs(shot.dy));
  if (!numbers.every(Number.isSafeInteger)) throw new RangeError("every number is whole");
  if (ids[0] !== 0 || ids.some((disc, n) => disc >= count || (n > 0 && disc <= ids[n - 1]))) {
    throw new RangeError("each id stands once at most, the striker first");
  }
  if (!(longest > 0 && longest <= NUMBERS.DIRECTION_LIMIT)) throw new RangeError("no direction");
  if (!(shot.speed > 0 && shot.speed <= NUMBERS.SPEED_LIMIT_UM_S)) throw new RangeError("no speed");
  const [, strikerX, strikerY] = shot.places[0];
  const apart = NUMBERS.STRIKER_RADIUS_UM + NUMBERS.COIN_RADIUS_UM;
  for (const [disc, x, y] of shot.places) {
    const radius = disc ? NUMBERS.COIN_RADIUS_UM : NUMBERS.STRIKER_RADIUS_UM;
    if (Math.max(Math.abs(x), Math.abs(y)) > NUMBERS.HALF_UM - radius) {
      throw new RangeError(`disc ${disc} is not within the cushions`);
    }
    if (disc && (x - strikerX) ** 2 + (y - strikerY) ** 2 < apart ** 2) {
      throw new RangeError(`the striker stands on disc ${disc}`);
    }
  }
}

/**
 * Return places turned clockwise about the centre: into a seat's frame by its number of quarters
 * (south 0, east 1, north 2, west 3), and back by the rest of four.
 * @param {readonly Place[]} places
 * @param {number} quarters
 * @returns {Place[]}
 */
export function turned(places, quarters) {
  /** @type {Place[]} */
  let found = places.map(([disc, x, y]) => [disc, x, y]);
  for (let n = 0; n < ((quarters % 4) + 4) % 4; n++) {
    found = found.map(([disc, x, y]) => [disc, y, 0 - x]);
  }
  return found;
}

/**
 * Return the bytes whose SHA-256 is a layout's hash: for each id below `count` x, y and 1 as 32-bit
 * integers, the lowest byte first; zeros where it is not on the board.
 * @param {readonly Place[]} places
 * @param {number} [count]
 * @returns {Uint8Array}
 */
export function positionBytes(places, count = NUMBERS.DISCS) {
  const bytes = new DataView(new ArrayBuffer(12 * count));
  for (const [disc, x, y] of places) {
    [x, y, 1].forEach((value, n) => bytes.setInt32(12 * disc + 4 * n, value, true));
  }
  return new Uint8Array(bytes.buffer);
}
