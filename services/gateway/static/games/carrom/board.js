// @ts-check
/** The drawing of the board (rule K1), in millimetres from the middle, whoever looks at the bottom. */
import { NUMBERS } from "/carrom/phases.js";
import { s } from "/page/dom.js";

export const REACH = 406; // from the middle to the drawing's edge
const UM = 1000; // in a millimetre
export const HALF = NUMBERS.HALF_UM / UM; // from the middle to a cushion
const POCKET = { at: (NUMBERS.HALF_UM - NUMBERS.POCKET_RADIUS_UM) / UM, radius: NUMBERS.POCKET_RADIUS_UM / UM };
export const LINE = { y: -NUMBERS.LINE_Y_UM / UM, half: NUMBERS.LINE_HALF_UM / UM, apart: 18 };
export const RADIUS = { striker: NUMBERS.STRIKER_RADIUS_UM / UM, coin: NUMBERS.COIN_RADIUS_UM / UM };
const [STRIKER, QUEEN, OUTER] = [0, 1, 8];

/** What a disc is. @param {number} disc @returns {"striker" | "queen" | "white" | "black"} */
export function kind(disc) {
  if (disc === STRIKER) return "striker";
  if (disc === QUEEN) return "queen";
  const even = disc % 2 === 0;
  return disc < OUTER ? (even ? "black" : "white") : even ? "white" : "black";
}

/** A disc, in the middle. @param {number} disc */
export function drawn(disc) {
  const radius = disc === STRIKER ? RADIUS.striker : RADIUS.coin;
  return s(
    "g",
    { class: `disc ${kind(disc)}`, "data-disc": disc },
    s("circle", { cy: 2.5, r: radius, class: "disc-shade" }),
    s("circle", { r: radius - 0.6, class: "disc-body" }),
    s("circle", { r: radius * 0.62, class: "disc-ring" }),
    disc === QUEEN && s("path", { d: "M-6-2.5 -3 1 0-5 3 1 6-2.5 5 4.5H-5Z", class: "disc-mark" }),
    kind(disc) === "black" && s("circle", { r: radius * 0.28, class: "disc-dot" }),
  );
}

/** The board without discs. */
export function drawing() {
  return s(
    "g",
    { "aria-hidden": "true" },
    s("rect", { x: -402, y: -402, width: 804, height: 804, rx: 34, class: "frame" }),
    s("rect", { x: -388, y: -388, width: 776, height: 776, rx: 20, class: "frame-line" }),
    s("rect", { x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF, rx: 4, class: "ply" }),
    [0, 90, 180, 270].map(side),
    s("circle", { r: 85, class: "ply-line" }),
    s("circle", { r: 79, class: "ply-line thin" }),
    s("circle", { r: RADIUS.coin, class: "ply-line" }),
    s("path", { d: star(), class: "ply-star" }),
  );
}

/** @param {number} turn Degrees. */
function side(turn) {
  const { y, half, apart } = LINE;
  const end = (/** @type {number} */ x) => [
    s("circle", { cx: x, cy: y, r: apart - 1, class: "ply-line" }),
    s("circle", { cx: x, cy: y, r: apart - 7, class: "ply-end" }),
  ];
  const arrow = "M-285-285-135-135M-135-135-150-146M-135-135-146-150";
  return s(
    "g",
    { transform: `rotate(${turn})` },
    s("circle", { cx: -POCKET.at, cy: -POCKET.at, r: POCKET.radius, class: "pocket" }),
    s("path", { d: `M${-half} ${y - apart}H${half}M${-half} ${y + apart}H${half}`, class: "ply-line" }),
    end(-half),
    end(half),
    s("path", { d: arrow, class: "ply-line thin" }),
  );
}

function star() {
  const points = Array.from({ length: 16 }, (_, at) => {
    const [far, turn] = [at % 2 ? 26 : 68, (at * Math.PI) / 8];
    return `${(far * Math.sin(turn)).toFixed(1)} ${(-far * Math.cos(turn)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}
