// @ts-check
/** What is thrown: a button while it is the player's to ask for, and a picture otherwise. */
import { h } from "/page/dom.js";

const SETTLE_MS = 300;
const SHAKE_MS = 90;
const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const TURN = [
  { transform: "rotate(-200deg) scale(.72)" },
  { transform: "rotate(14deg) scale(1.06)", offset: 0.75 },
  { transform: "none" },
];

/**
 * How one game's dice look, in a square from -1.15 to 1.15.
 * @template V What a throw shows.
 * @typedef {object} Look
 * @property {SVGSVGElement} body
 * @property {(thrown: V | null) => void} draw Null: nothing was thrown yet.
 * @property {() => V} some Anything, for a moment.
 * @property {() => Element[]} parts What turns while it settles.
 * @property {(thrown: V | null) => string} label
 * @property {() => string} ask What pressing it does.
 * @property {import("/games/parts/marks.js").Colour[]} colours By seat.
 */

/** @template V */
export class Thrower {
  /**
   * @param {Look<V>} look
   * @param {() => void} pressed
   */
  constructor(look, pressed) {
    this.look = look;
    /** @type {V | null} */
    this.thrown = null;
    const props = { type: "button", class: "thrower", "data-do": "throw", onclick: pressed };
    this.button = h("button", props, look.body);
    /** @type {Animation[]} */
    this.moving = [];
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.shaking = undefined;
    look.draw(null);
    this.offer(false);
  }

  /** Whether it may be thrown now. @param {boolean} may */
  offer(may) {
    this.button.classList.toggle("ready", may);
    this.button.setAttribute("aria-disabled", String(!may));
    this.button.setAttribute("aria-label", may ? this.look.ask() : this.look.label(this.thrown));
  }

  /** Shake until the throw comes. */
  shake() {
    this.offer(false);
    if (CALM.matches) return;
    clearInterval(this.shaking);
    this.button.classList.add("shaking");
    this.shaking = setInterval(() => this.look.draw(this.look.some()), SHAKE_MS);
  }

  /** Stop shaking; what it shows is the last throw. */
  still() {
    clearInterval(this.shaking);
    this.button.classList.remove("shaking");
    this.look.draw(this.thrown);
  }

  /**
   * Show what a seat threw, with some motion.
   * @param {V} thrown
   * @param {number} seat
   */
  async settle(thrown, seat) {
    this.set(thrown, seat);
    if (CALM.matches || document.hidden) return;
    const timing = { duration: SETTLE_MS, easing: "ease-out" };
    this.moving = this.look.parts().map((part) => part.animate(TURN, timing));
    await Promise.all(this.moving.map((one) => one.finished));
    this.moving = [];
  }

  /**
   * Show what was thrown last, in the colour of whoever is to throw; what another threw is faint.
   * @param {V | null} thrown
   * @param {number | null} seat Who threw it.
   * @param {number | null} turn Whose turn it is.
   */
  set(thrown, seat, turn = seat) {
    this.thrown = thrown;
    this.still();
    this.button.classList.toggle("stale", turn !== seat);
    this.look.colours.forEach((colour, at) => this.button.classList.toggle(`colour-${colour}`, at === turn));
  }

  rush() {
    for (const one of this.moving) one.finish();
  }
}
