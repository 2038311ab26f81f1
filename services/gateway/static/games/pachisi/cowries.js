// @ts-check
/** How the cowries look: shells that fall mouth up or down, and what that is worth. */
import { s } from "/page/dom.js";
import { number, t } from "/page/i18n.js";
import { COLOURS } from "/games/pachisi/board.js";

/** @typedef {{shells: number, mouths: number, value: number}} Throw */

const SIX = [[-0.6, -0.56], [0.02, -0.66], [0.62, -0.54], [-0.56, -0.02], [0.06, -0.1], [0.6, 0.02]];
const SEVEN = [[-0.73, -0.54], [-0.25, -0.68], [0.25, -0.54], [0.73, -0.64], [-0.5, -0.04], [0.02, -0.1], [0.52, 0]];
const TURNS = [-24, 31, -8, 17, -35, 9, 26]; // degrees: shells never lie straight
const ORDER = [3, 1, 5, 0, 4, 2, 6]; // which lie mouth up first: only how many do is known
const SHELL = "M-.25 0C-.25-.14-.12-.2 .02-.2 .17-.2 .26-.1 .26 0 .26 .1 .17 .2 .02 .2-.12 .2-.25 .14-.25 0Z";
const MOUTH = "M-.17 .01C-.06-.035 .08-.035 .19 .01M-.09-.05V.05M-.01-.06V.05M.07-.06V.05M.14-.04V.04";

/** @returns {import("/games/parts/thrower.js").Look<Throw>} */
export function cowries() {
  const shells = s("g", { class: "thrower-face" });
  const worth = s("text", { y: 0.9, "text-anchor": "middle", class: "worth thrower-face" });
  const body = s(
    "svg",
    { viewBox: "-1.15 -1.15 2.3 2.3", class: "thrower-body", "aria-hidden": "true" },
    s("rect", { x: -1.06, y: -1.06, width: 2.12, height: 2.12, rx: 0.42, class: "thrower-ground tray-ground" }),
    shells,
    worth,
  );
  let count = 6; // until the table's first throw says how many there are
  return {
    body,
    draw(thrown) {
      count = thrown?.shells ?? count;
      const places = count === 6 ? SIX : SEVEN;
      const up = ORDER.filter((at) => at < count).slice(0, thrown?.mouths ?? 0);
      shells.replaceChildren(...places.map(([x, y], at) => shell(x, y, TURNS[at], up.includes(at))));
      worth.textContent = thrown?.value ? number(thrown.value) : "";
    },
    some: () => ({ shells: count, mouths: Math.floor(Math.random() * (count + 1)), value: 0 }),
    parts: () => [...shells.querySelectorAll(".shell-turns")],
    label: (thrown) => (thrown ? t("pachisi.thrown", { value: thrown.value, mouths: thrown.mouths, shells: thrown.shells }) : t("pachisi.cowries")),
    ask: () => t("pachisi.throw"),
    colours: COLOURS,
  };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} turn
 * @param {boolean} up
 */
function shell(x, y, turn, up) {
  return s(
    "g",
    { transform: `translate(${x} ${y}) rotate(${turn})` },
    s(
      "g",
      { class: "shell-turns" },
      s("path", { d: SHELL, class: up ? "shell up" : "shell" }),
      up ? s("path", { d: MOUTH, class: "shell-mouth" }) : s("path", { d: "M-.12-.09C-.04-.14 .07-.14 .13-.08", class: "shell-shine" }),
    ),
  );
}
