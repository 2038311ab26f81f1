// @ts-check
/** Colours and the marks that go with them, so that colour is never the only sign. */
import { s } from "/page/dom.js";

/** In a square from -1 to 1. */
export const SHAPES = {
  red: "M0-.62 .5 0 0 .62-.5 0Z", // a diamond
  green: "M0-.58 .56.42H-.56Z", // a triangle
  yellow: "M0-.52A.52.52 0 1 1 0 .52.52.52 0 1 1 0-.52ZM0-.2A.2.2 0 1 0 0 .2.2.2 0 1 0 0-.2Z", // a ring
  blue: "M-.42-.42H.42V.42H-.42Z", // a square
  white: "M0-.5A.5.5 0 1 1 0 .5.5.5 0 1 1 0-.5ZM0-.34A.34.34 0 1 0 0 .34.34.34 0 1 0 0-.34Z", // a fine ring
  black: "M-.18-.55H.18V-.18H.55V.18H.18V.55H-.18V.18H-.55V-.18H-.18Z", // a cross
};
/** @typedef {keyof typeof SHAPES} Colour */

/**
 * A colour and its mark, as large as the text beside it; of a player with two, both.
 * @param {...Colour} colours
 * @returns {SVGElement}
 */
export function mark(...colours) {
  const one = colours.length === 1;
  return s(
    "svg",
    { viewBox: "-1 -1 2 2", class: "mark", "aria-hidden": "true" },
    colours.map((colour, at) =>
      s(
        "g",
        { class: `colour-${colour}`, transform: one ? "" : `translate(${at - 0.5} ${at - 0.5}) scale(.5)` },
        s("circle", { r: 0.96, class: "mark-ground" }),
        s("path", { d: SHAPES[colour], class: "mark-shape" }),
      ),
    ),
  );
}
