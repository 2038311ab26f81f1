// @ts-check
/** The pawns on the board: where they stand, and how they walk. */
import { s } from "/page/dom.js";
import { number } from "/page/i18n.js";
import { SHAPES } from "/games/ludo/marks.js";
import { path, spot } from "/games/ludo/board.js";

const STEP_MS = 95; // for each square of a walk
const BACK_MS = 280; // a captured pawn's way home
const HOME = 56;
const SIZES = { base: 1.3, home: 0.62, track: 1 };
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{x: number, y: number, size: number}} Stand */

export class Pawns {
  /** @param {(pawn: number) => void} chosen Told which pawn of the own seat was touched. */
  constructor(chosen) {
    this.chosen = chosen;
    this.layer = s("g", { class: "pawns" });
    /** @type {Map<string, SVGGElement>} */
    this.drawn = new Map();
    /** @type {Set<Animation>} */
    this.moving = new Set();
  }

  /**
   * Put all pawns where they stand, at once.
   * @param {number[][]} pawns Progress by seat and pawn.
   */
  show(pawns) {
    const stands = arrange(pawns);
    for (const [key, drawn] of this.drawn) {
      if (!stands.has(key)) {
        drawn.remove();
        this.drawn.delete(key);
      }
    }
    for (const [key, stand] of stands) {
      const [seat, pawn] = key.split(".").map(Number);
      const drawn = this.drawn.get(key) ?? this.make(seat, pawn);
      drawn.dataset.progress = String(pawns[seat][pawn]);
      drawn.style.transform = placed(stand);
    }
  }

  /**
   * @param {number} seat
   * @param {number} pawn
   */
  make(seat, pawn) {
    const look = { class: `pawn seat-${seat}`, "data-seat": seat, "data-pawn": pawn };
    const drawn = s(
      "g",
      { ...look, onclick: () => this.chosen(pawn) },
      s("circle", { r: 0.86, class: "pawn-reach" }),
      s("circle", { r: 0.53, class: "pawn-glow" }),
      s("circle", { cy: 0.07, r: 0.42, class: "pawn-shade" }),
      s("circle", { r: 0.385, class: "pawn-body" }),
      s("circle", { r: 0.29, class: "pawn-ring" }),
      s("path", { d: SHAPES[seat], transform: "scale(.34)", class: "pawn-mark" }),
      s(
        "g",
        { class: "pawn-number", transform: "translate(.34 -.36)" },
        s("circle", { r: 0.235 }),
        s("text", { "text-anchor": "middle", y: 0.115 }, number(pawn + 1)),
      ),
    );
    this.drawn.set(`${seat}.${pawn}`, drawn);
    this.layer.append(drawn);
    return drawn;
  }

  /**
   * Let a pawn walk its path.
   * @param {number} seat
   * @param {number} pawn
   * @param {number} start
   * @param {number} end
   */
  walk(seat, pawn, start, end) {
    const steps = path(seat, pawn, start, end);
    return this.move(seat, pawn, steps, STEP_MS * Math.max(steps.length, 2));
  }

  /**
   * Let a captured pawn go back to its base.
   * @param {number} seat
   * @param {number} pawn
   */
  sendBack(seat, pawn) {
    return this.move(seat, pawn, [spot(seat, pawn, -1)], BACK_MS);
  }

  /** End all that moves, at once. */
  rush() {
    for (const moving of this.moving) moving.finish();
  }

  /**
   * Show which pawns of a seat may be chosen.
   * @param {number | null} seat
   * @param {number[]} movable
   */
  offer(seat, movable) {
    for (const [key, drawn] of this.drawn) {
      const [of, pawn] = key.split(".").map(Number);
      const may = of === seat && movable.includes(pawn);
      drawn.classList.toggle("movable", may);
      if (may) this.layer.append(drawn); // on top of those it shares a square with
    }
  }

  /**
   * @param {number} seat
   * @param {number} pawn
   * @param {{x: number, y: number}[]} steps
   * @param {number} duration ms
   */
  async move(seat, pawn, steps, duration) {
    const drawn = this.drawn.get(`${seat}.${pawn}`);
    if (!drawn || CALM.matches || document.hidden) return;
    this.layer.append(drawn);
    const frames = [drawn.style.transform, ...steps.map((at) => placed({ ...at, size: SIZES.track }))];
    const moving = drawn.animate(
      frames.map((transform) => ({ transform, easing: "cubic-bezier(.35,0,.3,1)" })),
      { duration, fill: "forwards" },
    );
    this.moving.add(moving);
    await moving.finished;
    this.moving.delete(moving);
    drawn.style.transform = /** @type {string} */ (frames.at(-1));
    moving.cancel();
  }
}

/**
 * Where each pawn stands, beside others on the same square.
 * @param {number[][]} pawns
 * @returns {Map<string, Stand>}
 */
function arrange(pawns) {
  /** @type {Map<string, string[]>} */
  const squares = new Map();
  /** @type {Map<string, Stand>} */
  const stands = new Map();
  pawns.forEach((own, seat) =>
    own.forEach((progress, pawn) => {
      const { x, y } = spot(seat, pawn, progress);
      stands.set(`${seat}.${pawn}`, { x, y, size: sizeAt(progress) });
      const square = `${x},${y}`;
      squares.set(square, [...(squares.get(square) ?? []), `${seat}.${pawn}`]);
    }),
  );
  for (const together of squares.values()) {
    if (together.length < 2) continue;
    together.forEach((key, at) => {
      const stand = /** @type {Stand} */ (stands.get(key));
      const turn = (2 * Math.PI * at) / together.length + Math.PI / 4;
      stand.x += 0.2 * Math.cos(turn);
      stand.y += 0.2 * Math.sin(turn);
      stand.size *= together.length > 4 ? 0.62 : 0.76;
    });
  }
  return stands;
}

/** @param {number} progress */
function sizeAt(progress) {
  if (progress < 0) return SIZES.base;
  return progress === HOME ? SIZES.home : SIZES.track;
}

/** @param {Stand} stand */
function placed({ x, y, size }) {
  return `translate(${x.toFixed(3)}px, ${y.toFixed(3)}px) scale(${size})`;
}
