// @ts-check
/** Where the striker stands, which way it goes and how fast: by a finger, or by keys. */
import { NUMBERS } from "/carrom/phases.js";
import { h, s } from "/page/dom.js";
import { number, t } from "/page/i18n.js";
import { LINE, RADIUS } from "/games/carrom/board.js";

/**
 * A shot in the shooter's frame, as the house wants it; lengths in um.
 * @typedef {{x: number, dx: number, dy: number, speed: number}} Shot
 */

const UM = 1_000; // in a millimetre
const HALF = Math.floor(LINE.half); // whole millimetres are fine enough for keys
const FASTEST = 6_000_000; // um/s, rule K8
const WIDEST = 85; // degrees from straight ahead, where shots go forward only
const PULL = { least: 34, most: 240 }; // mm: less is no shot, more is no faster
const SHORT = { least: 60, each: 4 }; // mm, and mm more for each percent of power
const KEPT = "sahrat.carrom.guide";

export class Aim {
  /** @param {(shot: Shot) => void} shoot */
  constructor(shoot) {
    this.shoot = shoot;
    this.may = false;
    this.forward = true;
    /** Millimetres to the right of the middle, degrees to the right of straight ahead, percent. */
    this.at = { x: 0, turn: 0, power: 45 };
    this.guideOn = kept();
    /** Where a way ends that is shown whole, in mm from the striker; null: a short one is shown. @type {((x: number, sin: number, cos: number) => number) | null} */
    this.meets = null;
    this.guideMay = true;
    this.guide = s("path", { class: "guide", "aria-hidden": "true" });
    this.go = h("button", { type: "button", class: "button main shoot", "data-do": "shoot", onclick: () => this.fire() }, t("carrom.shoot"));
    this.ranges = {
      x: this.range("x", -HALF, HALF, 1),
      turn: this.range("turn", -WIDEST, WIDEST, 1),
      power: this.range("power", 3, 100, 1),
    };
    this.line = h("button", { type: "button", class: "button", "data-do": "guide", "aria-pressed": this.guideOn, onclick: () => this.toggle() }, t("carrom.guide"));
    this.element = h(
      "div",
      { class: "aim" },
      Object.values(this.ranges).map(({ label, input }) => h("div", { class: "aim-row" }, label, input)),
      h("div", { class: "row spread" }, this.line, this.go),
    );
    /** What the finger does: it moves the striker along its line, or pulls back. */
    this.finger = { down: false, pulls: false };
  }

  /**
   * @param {"x" | "turn" | "power"} what
   * @param {number} min
   * @param {number} max
   * @param {number} step
   */
  range(what, min, max, step) {
    const id = `aim-${what}`;
    const input = h("input", { id, type: "range", dir: "ltr", min, max, step, value: this.at[what], oninput: () => this.set({ [what]: Number(input.value) }) });
    return { label: h("label", { for: id }, t(`carrom.${what}`)), input };
  }

  /** @param {boolean} may */
  offer(may) {
    this.may = may;
    this.go.setAttribute("aria-disabled", String(!may));
    this.go.classList.toggle("ready", may);
    this.draw();
  }

  /** Whether the table lets the striker be shot back. @param {boolean} may */
  backward(may) {
    this.forward = !may;
    const widest = may ? 180 : WIDEST;
    Object.assign(this.ranges.turn.input, { min: -widest, max: widest });
  }

  /**
   * What the table lets be drawn of the striker's way (rule K7).
   * @param {string | number | undefined} kind
   * @param {(x: number, sin: number, cos: number) => number} meets
   */
  guided(kind, meets) {
    this.guideMay = kind !== "none";
    this.line.hidden = !this.guideMay;
    this.meets = kind === "long" ? meets : null;
  }

  /** @param {Partial<Aim["at"]>} changed */
  set(changed) {
    Object.assign(this.at, changed);
    for (const [what, { input }] of Object.entries(this.ranges)) {
      const value = this.at[/** @type {"x" | "turn" | "power"} */ (what)];
      input.value = String(value);
      input.setAttribute("aria-valuetext", number(Math.round(value)));
    }
    this.draw();
  }

  /** To the right and ahead, together of length 1. */
  get direction() {
    const turn = (this.at.turn * Math.PI) / 180;
    return [Math.sin(turn), Math.cos(turn)];
  }

  draw() {
    const { x, power } = this.at;
    const [sin, cos] = this.direction;
    const far = this.meets?.(x, sin, cos) ?? SHORT.least + power * SHORT.each;
    const { striker } = RADIUS;
    const there = this.meets ? `m${striker} 0a${striker} ${striker} 0 1 0 ${-2 * striker} 0a${striker} ${striker} 0 1 0 ${2 * striker} 0` : "";
    this.guide.setAttribute("d", `M${x} ${LINE.y}L${x + far * sin} ${LINE.y - far * cos}${there}`);
    this.guide.style.display = this.may && this.guideMay && this.guideOn ? "" : "none";
  }

  toggle() {
    this.guideOn = !this.guideOn;
    this.line.setAttribute("aria-pressed", String(this.guideOn));
    try {
      localStorage.setItem(KEPT, this.guideOn ? "on" : "off");
    } catch {
      // a browser that keeps nothing: the choice holds for this match
    }
    this.draw();
  }

  fire() {
    if (!this.may) return;
    const { x, power } = this.at;
    const [sin, cos] = this.direction;
    this.shoot({
      x: Math.round(x * UM),
      dx: Math.round(sin * NUMBERS.DIRECTION_LIMIT),
      dy: Math.max(this.forward ? 1 : -NUMBERS.DIRECTION_LIMIT, Math.round(cos * NUMBERS.DIRECTION_LIMIT)),
      speed: Math.max(1, Math.round((power / 100) * FASTEST)),
    });
  }

  // ---- by a finger, in millimetres of the board

  /** @param {number} x @param {number} y */
  press(x, y) {
    this.finger = { down: this.may && y > LINE.y - 60, pulls: false };
    if (this.finger.down) this.drag(x, y);
    return this.finger.down;
  }

  /** @param {number} x @param {number} y */
  drag(x, y) {
    if (!this.finger.down || !this.may) return;
    const [right, back] = [x - this.at.x, y - LINE.y];
    if (!this.finger.pulls && back < PULL.least) {
      this.set({ x: Math.max(-HALF, Math.min(HALF, x)) });
      return;
    }
    this.finger.pulls = back > 0;
    if (back <= 0) return;
    const turn = (Math.atan2(-right, back) * 180) / Math.PI;
    const far = Math.min(Math.hypot(right, back), PULL.most) - PULL.least;
    const power = Math.max(3, (100 * far) / (PULL.most - PULL.least));
    this.set({ turn: Math.max(-WIDEST, Math.min(WIDEST, turn)), power });
  }

  /** The finger is not there any more: nothing is shot by it. */
  drop() {
    this.finger = { down: false, pulls: false };
  }

  /** Let go: a finger that pulled back shoots; one that came back does not. @param {number} y */
  release(y) {
    const shoots = this.finger.down && this.finger.pulls && y - LINE.y > PULL.least;
    this.drop();
    if (shoots) this.fire();
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}
