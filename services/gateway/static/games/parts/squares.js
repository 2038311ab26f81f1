// @ts-check
/** Squares in a row. */

/** @typedef {[number, number]} Square */

/**
 * Every square of a path that turns at these; a step goes along, across, or both.
 * @param {number[][]} corners From where it begins to where it ends.
 * @returns {Square[]}
 */
export function walked([[a, b], ...corners]) {
  /** @type {Square[]} */
  const path = [[a, b]];
  for (const [toA, toB] of corners) {
    while (a !== toA || b !== toB) {
      a += Math.sign(toA - a);
      b += Math.sign(toB - b);
      path.push([a, b]);
    }
  }
  return path;
}

const PLACES = 4;

/**
 * By how many quarters a board is turned for whoever has a seat.
 * @param {number} here The place at which he is to see himself.
 * @param {number | null | undefined} seat Null: he only looks on.
 */
export function turnFor(here, seat) {
  return seat === null || seat === undefined ? 0 : (here - seat + PLACES) % PLACES;
}

/**
 * Where a seat is on a board that is turned: at the place of which seat, when it is not.
 * @param {number} seat
 * @param {number} turn
 */
export function placeOf(seat, turn) {
  return (seat + turn) % PLACES;
}

/**
 * What belongs to each seat, by place.
 * @template T
 * @param {T[]} bySeat
 * @param {number} turn
 */
export function byPlace(bySeat, turn) {
  return bySeat.map((_, place) => bySeat[(place - turn + PLACES) % PLACES]);
}
