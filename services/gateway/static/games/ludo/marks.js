// @ts-check
/** The marks of the seats, so that colour is never the only sign: for names and for pawns. */
import { s } from "/page/dom.js";

/** In a square from -1 to 1: a diamond, a triangle, a ring, a square. */
export const SHAPES = [
  "M0-.62 .5 0 0 .62-.5 0Z",
  "M0-.58 .56.42H-.56Z",
  "M0-.52A.52.52 0 1 1 0 .52.52.52 0 1 1 0-.52ZM0-.2A.2.2 0 1 0 0 .2.2.2 0 1 0 0-.2Z",
  "M-.42-.42H.42V.42H-.42Z",
];

/**
 * A seat's colour and mark, as large as the text beside it.
 * @param {number} seat
 * @returns {SVGElement}
 */
export function seatMark(seat) {
  return s(
    "svg",
    { viewBox: "-1 -1 2 2", class: `mark seat-${seat}`, "aria-hidden": "true" },
    s("circle", { r: 0.96, class: "mark-ground" }),
    s("path", { d: SHAPES[seat], class: "mark-shape" }),
  );
}
