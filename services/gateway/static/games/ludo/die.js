// @ts-check
/** How the die looks. */
import { s } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { COLOURS } from "/games/ludo/board.js";

const [L, M, H] = [-0.5, 0, 0.5];
/** @type {[number, number][][]} */
const PIPS = [
  [],
  [[M, M]],
  [[L, L], [H, H]],
  [[L, L], [M, M], [H, H]],
  [[L, L], [H, L], [L, H], [H, H]],
  [[L, L], [H, L], [M, M], [L, H], [H, H]],
  [[L, L], [H, L], [L, M], [H, M], [L, H], [H, H]],
];

/** @returns {import("/games/parts/thrower.js").Look<number>} */
export function die() {
  const face = s("g", { class: "thrower-face" });
  const body = s(
    "svg",
    { viewBox: "-1.15 -1.15 2.3 2.3", class: "thrower-body", "aria-hidden": "true" },
    s("rect", { x: -1, y: -1, width: 2, height: 2, rx: 0.42, class: "thrower-ground" }),
    face,
  );
  return {
    body,
    draw: (value) => face.replaceChildren(...PIPS[value ?? 0].map(([cx, cy]) => s("circle", { cx, cy, r: 0.185, class: "pip" }))),
    some: () => 1 + Math.floor(Math.random() * 6),
    parts: () => [body],
    label: (value) => (value ? t("ludo.die", { value }) : t("ludo.die_none")),
    ask: () => t("ludo.roll"),
    colours: COLOURS,
  };
}
