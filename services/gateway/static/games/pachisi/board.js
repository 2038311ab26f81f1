// @ts-check
/**
 * The drawing of the board (rule P1): a cross of four arms, nineteen squares across, south's arm
 * below, the others turned counter-clockwise. It is the same in every language.
 */
import { s } from "/page/dom.js";
import { SHAPES } from "/games/parts/marks.js";
import { byPlace, walked } from "/games/parts/squares.js";

/** @typedef {import("/games/parts/pieces.js").Stand} Stand */
/** @typedef {[x: number, y: number]} Point From the middle, x to the right, y down. */

/** By seat: south, east, north, west. @type {import("/games/parts/marks.js").Colour[]} */
export const COLOURS = ["yellow", "red", "black", "green"];
export const HERE = 0; // whoever plays sees himself in the south
export const [CHARKONI, TIP, RETURN, HOME] = [0, 8, 76, 84];
const ALL = [0, 1, 2, 3];
const CASTLES = [TIP, 12, 72]; // of each arm: its tip, and the fourth squares from it
const CORNERS = [
  [0, 2], [0, 9], [1, 9], [1, 2], [2, 1], [9, 1], [9, -1], [2, -1], [1, -2], [1, -9], [-1, -9],
  [-1, -2], [-2, -1], [-9, -1], [-9, 1], [-2, 1], [-1, 2], [-1, 9], [0, 9], [0, 2],
]; // where south's path turns, from square 1 to square 83
const SIZES = { waiting: 2.5, board: 1.12, home: 0.72 };

/** South's path; the first is square 1. */
const SOUTH = walked(CORNERS);

/**
 * @param {Point} point
 * @param {number} quarters Counter-clockwise.
 * @returns {Point}
 */
function turned([x, y], quarters) {
  return quarters === 0 ? [x, y] : turned([y, -x], quarters - 1);
}

/** The middle of a square on a seat's path. @param {number} seat @param {number} progress */
function square(seat, progress) {
  return turned(SOUTH[progress - 1], seat);
}

/**
 * Where a piece stands, and how large it is there. Those that wait lie beside the arm of their seat,
 * those that are home in the middle.
 * @param {number} seat Its place, where the board is turned; so below.
 * @param {number} piece
 * @param {number} progress
 * @returns {Stand}
 */
export function spot(seat, piece, progress) {
  const [side, row] = [piece % 2 ? 1.5 : -1.5, piece < 2 ? -1.5 : 1.5];
  if (progress === CHARKONI) return stand(turned([5.5 + side, 5.5 + row], seat), SIZES.waiting);
  if (progress === HOME) return stand(turned([-0.66 + piece * 0.44, 1.12], seat), SIZES.home);
  return stand(square(seat, progress), SIZES.board);
}

/**
 * @param {Point} point
 * @param {number} size
 */
function stand([x, y], size) {
  return { x, y, size };
}

/**
 * The squares that a piece walks over, from the one after `start` to where it ends. Where it went
 * round once more it goes straight: the record says where it is.
 * @param {number} seat
 * @param {number} piece
 * @param {number} start
 * @param {number} end
 */
export function path(seat, piece, start, end) {
  const steps = end <= start ? [end] : Array.from({ length: end - start }, (_, at) => start + 1 + at);
  return steps.map((progress) => spot(seat, piece, progress));
}

/**
 * The board without pieces.
 * @param {string} seats Those that play, as `0,2`.
 * @param {number} turn
 */
export function drawing(seats, turn) {
  const colours = byPlace(COLOURS, turn);
  const playing = byPlace(ALL.map((seat) => seats.split(",").includes(String(seat))), turn);
  return s(
    "g",
    { "aria-hidden": "true" },
    s("rect", { x: -10, y: -10, width: 20, height: 20, rx: 1.05, class: "frame" }),
    s("rect", { x: -9.68, y: -9.68, width: 19.36, height: 19.36, rx: 0.72, class: "frame-line" }),
    s("rect", { x: -9.5, y: -9.5, width: 19, height: 19, rx: 0.5, class: "cloth" }),
    colours.map((colour, place) => tray(colour, place, playing[place])),
    colours.map(arm),
    colours.map(home),
    s("rect", { x: -1.5, y: -1.5, width: 3, height: 3, class: "middle-line" }),
  );
}

/** @param {import("/games/parts/marks.js").Colour} colour @param {number} place */
function arm(colour, place) {
  const out = Array.from({ length: 16 }, (_, at) => 1 + at);
  const back = Array.from({ length: 8 }, (_, at) => 68 + at);
  return s(
    "g",
    { class: `colour-${colour}` },
    [...out, ...back].map((progress) => {
      const [x, y] = square(place, progress);
      const castle = CASTLES.includes(progress);
      const look = progress < TIP ? "cell lane" : castle ? "cell castle" : "cell";
      const cross = `M${x - 0.3} ${y - 0.3}L${x + 0.3} ${y + 0.3}M${x + 0.3} ${y - 0.3}L${x - 0.3} ${y + 0.3}`;
      return [
        s("rect", { x: x - 0.5, y: y - 0.5, width: 1, height: 1, class: look }),
        castle && s("path", { d: cross, class: "castle-mark" }),
      ];
    }).flat(),
  );
}

/**
 * Where a seat's pieces wait.
 * @param {import("/games/parts/marks.js").Colour} colour
 * @param {number} place
 * @param {boolean} plays
 */
function tray(colour, place, plays) {
  const [x, y] = turned([5.5, 5.5], place);
  const shape = { x: x - 3.4, y: y - 3.4, width: 6.8, height: 6.8, rx: 1.1 };
  if (!plays) return s("rect", { ...shape, class: "tray idle" });
  return s(
    "g",
    { class: `colour-${colour}` },
    s("rect", { ...shape, class: "tray" }),
    s("path", { d: SHAPES[colour], transform: `translate(${x} ${y}) scale(.8)`, class: "base-mark" }),
    ALL.map((piece) => {
      const at = spot(place, piece, CHARKONI);
      return s("circle", { cx: at.x, cy: at.y, r: 1.2, class: "base-spot" });
    }),
  );
}

/** @param {import("/games/parts/marks.js").Colour} colour @param {number} place */
function home(colour, place) {
  const corners = /** @type {Point[]} */ ([[-1.5, 1.5], [1.5, 1.5], [0, 0]]).map((one) => turned(one, place).join(","));
  return s("polygon", { points: corners.join(" "), class: `home colour-${colour}` });
}
