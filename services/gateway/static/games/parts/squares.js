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
