// @ts-check
/** The die: a button while its number is the player's to ask for, and a picture otherwise. */
import { h, s } from "/page/dom.js";
import { t } from "/page/i18n.js";

const SETTLE_MS = 300;
const SHAKE_MS = 90;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
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

export class Die {
  /** @param {() => void} pressed */
  constructor(pressed) {
    this.face = s("g", null);
    this.value = 0;
    this.body = s(
      "svg",
      { viewBox: "-1.15 -1.15 2.3 2.3", class: "die-body", "aria-hidden": "true" },
      s("rect", { x: -1, y: -1, width: 2, height: 2, rx: 0.42, class: "die-ground" }),
      this.face,
    );
    this.button = h(
      "button",
      { type: "button", class: "die", "data-do": "roll", onclick: pressed },
      this.body,
    );
    /** @type {Animation | null} */
    this.moving = null;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.shaking = undefined;
    this.draw(0);
    this.offer(false);
  }

  /** Whether it may be thrown now. @param {boolean} may */
  offer(may) {
    this.button.classList.toggle("ready", may);
    this.button.setAttribute("aria-disabled", String(!may));
    const value = this.value ? t("ludo.die", { value: this.value }) : t("ludo.die_none");
    this.button.setAttribute("aria-label", may ? t("ludo.roll") : value);
  }

  /** Shake until the number comes. */
  shake() {
    this.offer(false);
    if (CALM.matches) return;
    clearInterval(this.shaking);
    this.button.classList.add("shaking");
    this.shaking = setInterval(() => this.draw(1 + Math.floor(Math.random() * 6)), SHAKE_MS);
  }

  /** Stop shaking; what it shows is the last number. */
  still() {
    clearInterval(this.shaking);
    this.button.classList.remove("shaking");
    this.draw(this.value);
  }

  /**
   * Show a number that was rolled by a seat, with some motion.
   * @param {number} value
   * @param {number} seat
   */
  async settle(value, seat) {
    this.set(value, seat);
    if (CALM.matches || document.hidden) return;
    const turn = [
      { transform: "rotate(-200deg) scale(.72)" },
      { transform: "rotate(14deg) scale(1.06)", offset: 0.75 },
      { transform: "none" },
    ];
    this.moving = this.body.animate(turn, { duration: SETTLE_MS, easing: "ease-out" });
    await this.moving.finished;
    this.moving = null;
  }

  /**
   * @param {number} value 0: none yet.
   * @param {number | null} seat
   */
  set(value, seat) {
    clearInterval(this.shaking);
    this.button.classList.remove("shaking");
    this.value = value;
    for (const other of [0, 1, 2, 3]) {
      this.button.classList.toggle(`seat-${other}`, other === seat);
    }
    this.draw(value);
  }

  rush() {
    this.moving?.finish();
  }

  /** @param {number} value */
  draw(value) {
    const pips = PIPS[value].map(([cx, cy]) => s("circle", { cx, cy, r: 0.185, class: "pip" }));
    this.face.replaceChildren(...pips);
    this.button.dataset.value = String(value);
  }
}
