// @ts-check
/**
 * The drawing of the board (rule L1): fifteen rows and columns, red's base top left, the others
 * turned clockwise. It is the same in every language: a board is not read from right to left.
 */
import { s } from "/page/dom.js";
import { SHAPES } from "/games/parts/marks.js";
import { byPlace, walked } from "/games/parts/squares.js";

/** @typedef {import("/games/parts/pieces.js").Stand} Stand */

/** By seat. @type {import("/games/parts/marks.js").Colour[]} */
export const COLOURS = ["red", "green", "yellow", "blue"];
export const HERE = 2; // whoever plays sees himself where yellow is to others: below, at the right
export const HOME = 56;
const GRID = 15;
const SIZES = { base: 1.3, home: 0.62, track: 1 };
const CORNERS = [
  [6, 1], [6, 5], [5, 6], [0, 6], [0, 8], [5, 8], [6, 9], [6, 14], [8, 14], [8, 9], [9, 8], [14, 8],
  [14, 6], [9, 6], [8, 5], [8, 0], [7, 0], [7, 6],
]; // where red's path turns
const BASES = [[1.4, 1.4], [1.4, 3.6], [3.6, 1.4], [3.6, 3.6]]; // closer than cells would be
const ARM = 13; // squares of the track from one start to the next
const TRACK = 52;
const STAR = 8; // a star lies so far behind each start

/** @typedef {[row: number, column: number]} Cell */

const RED = walked(CORNERS);

/**
 * @param {readonly number[]} cell
 * @param {number} quarters
 * @returns {Cell}
 */
function turned([row, column], quarters) {
  return quarters === 0 ? [row, column] : turned([column, GRID - 1 - row], quarters - 1);
}

/**
 * The middle of where a pawn stands, in cells from the top left, and how large it is there. Pawns at
 * home stand beside each other in the triangle of their seat.
 * @param {number} seat Its place, where the board is turned; so below.
 * @param {number} pawn
 * @param {number} progress
 * @returns {Stand}
 */
export function spot(seat, pawn, progress) {
  if (progress < 0) return middle(turned(BASES[pawn], seat), SIZES.base);
  if (progress === HOME) return middle(turned([6.34 + pawn * 0.44, 6.08], seat), SIZES.home);
  return middle(turned(RED[progress], seat), SIZES.track);
}

/**
 * @param {Cell} cell
 * @param {number} size
 * @returns {Stand}
 */
function middle([row, column], size) {
  return { x: column + 0.5, y: row + 0.5, size };
}

/**
 * The cells that a pawn walks over, from the one after `start` to where it ends. Where it went
 * round once more, or turned back, it goes straight: the record says where it is.
 * @param {number} seat
 * @param {number} pawn
 * @param {number} start
 * @param {number} end
 */
export function path(seat, pawn, start, end) {
  const straight = start < 0 || end <= start;
  const steps = straight ? [end] : Array.from({ length: end - start }, (_, at) => start + 1 + at);
  return steps.map((progress) => ({ ...spot(seat, pawn, progress), size: SIZES.track }));
}

/**
 * The board without pawns.
 * @param {string} safe The table's option of that name.
 * @param {number} turn
 */
export function drawing(safe, turn) {
  const colours = byPlace(COLOURS, turn);
  const cells = [];
  for (let square = 0; square < TRACK; square += 1) cells.push(cell(RED_TRACK[square], "cell"));
  for (const seat of [0, 1, 2, 3]) {
    for (let progress = 51; progress < HOME; progress += 1) {
      cells.push(cell(turned(RED[progress], seat), `cell lane colour-${colours[seat]}`));
    }
    cells.push(cell(turned(RED[0], seat), `cell lane colour-${colours[seat]}`));
  }
  return s(
    "g",
    { "aria-hidden": "true" },
    s("rect", { x: -0.55, y: -0.55, width: 16.1, height: 16.1, rx: 0.85, class: "frame" }),
    s("rect", { x: -0.16, y: -0.16, width: 15.32, height: 15.32, rx: 0.5, class: "frame-line" }),
    s("rect", { x: 0, y: 0, width: GRID, height: GRID, rx: 0.35, class: "field" }),
    colours.map(base),
    cells,
    colours.map(home),
    s("rect", { x: 6, y: 6, width: 3, height: 3, class: "middle-line" }),
    colours.flatMap((colour, place) => signs(colour, place, safe)),
  );
}

/** The whole track by square: red's own path, and the one square that red never uses. */
const RED_TRACK = [...RED.slice(0, TRACK - 1), /** @type {Cell} */ ([6, 0])];

/**
 * @param {Cell} at
 * @param {string} look
 */
function cell([row, column], look) {
  return s("rect", { x: column, y: row, width: 1, height: 1, class: look });
}

/** @param {import("/games/parts/marks.js").Colour} colour @param {number} place */
function base(colour, place) {
  const [row, column] = turned([2.5, 2.5], place);
  const at = { x: column + 0.5, y: row + 0.5 };
  return s(
    "g",
    { class: `base colour-${colour}` },
    s("rect", { x: at.x - 3, y: at.y - 3, width: 6, height: 6, rx: 0.35, class: "base-ground" }),
    s("rect", { x: at.x - 2.35, y: at.y - 2.35, width: 4.7, height: 4.7, rx: 0.9, class: "base-room" }),
    s("path", { d: SHAPES[colour], transform: `translate(${at.x} ${at.y})`, class: "base-mark" }),
    [0, 1, 2, 3].map((pawn) => {
      const { x, y } = spot(place, pawn, -1);
      return s("circle", { cx: x, cy: y, r: 0.62, class: "base-spot" });
    }),
  );
}

/** @param {import("/games/parts/marks.js").Colour} colour @param {number} place */
function home(colour, place) {
  const corners = [[6, 6], [9, 6], [7.5, 7.5]].map(([row, column]) => {
    const [r, c] = turned([row - 0.5, column - 0.5], place);
    return `${c + 0.5},${r + 0.5}`;
  });
  return s("polygon", { points: corners.join(" "), class: `home colour-${colour}` });
}

/**
 * What is drawn on the safe squares, and the arrow where the own column begins.
 * @param {import("/games/parts/marks.js").Colour} colour
 * @param {number} place
 * @param {string} safe
 */
function signs(colour, place, safe) {
  const signs = [];
  const [startRow, startColumn] = turned(RED[0], place);
  const mark = `translate(${startColumn + 0.5} ${startRow + 0.5}) scale(.62)`;
  signs.push(s("path", { d: SHAPES[colour], transform: mark, class: "start-mark" }));
  if (safe.includes("starts")) {
    const ring = { cx: startColumn + 0.5, cy: startRow + 0.5, r: 0.43, class: "safe-ring" };
    signs.push(s("circle", ring));
  }
  if (safe.includes("stars")) {
    const [row, column] = RED_TRACK[(place * ARM + STAR) % TRACK];
    signs.push(s("path", { d: star(column + 0.5, row + 0.5), class: "star" }));
  }
  return signs;
}

/**
 * @param {number} x
 * @param {number} y
 */
function star(x, y) {
  const points = Array.from({ length: 16 }, (_, at) => {
    const [far, turn] = [at % 2 ? 0.24 : 0.4, (at * Math.PI) / 8];
    return `${(x + far * Math.sin(turn)).toFixed(3)} ${(y - far * Math.cos(turn)).toFixed(3)}`;
  });
  return `M${points.join("L")}Z`;
}
