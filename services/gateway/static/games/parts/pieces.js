// @ts-check
/** The pieces on a board: where they stand, and how they walk. */
import { s } from "/page/dom.js";
import { number } from "/page/i18n.js";
import { SHAPES } from "/games/parts/marks.js";

const STEP_MS = 95; // for each square of a walk
const WALK_MS = 760; // a long walk is quicker
const BACK_MS = 280; // a captured piece's way home
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{x: number, y: number, size: number}} Stand */
/**
 * The board that pieces stand on, in squares.
 * @typedef {object} Ground
 * @property {import("/games/parts/marks.js").Colour[]} colours By seat.
 * @property {(seat: number, piece: number, progress: number) => Stand} spot
 * @property {(seat: number, piece: number, start: number, end: number) => Stand[]} path The squares
 *   of a walk, from the one after `start` to where it ends.
 * @property {number} captured The progress of a piece that was captured.
 * @property {(progress: number) => boolean} lies Whether a piece there is drawn lying down.
 */

export class Pieces {
  /**
   * @param {Ground} ground
   * @param {(piece: number) => void} chosen Told which piece of those offered was touched.
   */
  constructor(ground, chosen) {
    this.ground = ground;
    this.chosen = chosen;
    this.layer = s("g", { class: "pieces" });
    this.targets = s("g", { class: "targets", "aria-hidden": "true" });
    /** @type {Map<string, SVGGElement>} */
    this.drawn = new Map();
    /** @type {Set<Animation>} */
    this.moving = new Set();
  }

  /**
   * Put all pieces where they stand, at once.
   * @param {number[][]} pieces Progress by seat and piece.
   */
  show(pieces) {
    const stands = this.arrange(pieces);
    for (const [key, drawn] of this.drawn) {
      if (!stands.has(key)) {
        drawn.remove();
        this.drawn.delete(key);
      }
    }
    for (const [key, stand] of stands) {
      const [seat, piece] = key.split(".").map(Number);
      const drawn = this.drawn.get(key) ?? this.make(seat, piece);
      const progress = pieces[seat][piece];
      drawn.dataset.progress = String(progress);
      drawn.classList.toggle("lying", this.ground.lies(progress));
      drawn.style.transform = placed(stand);
    }
  }

  /**
   * @param {number} seat
   * @param {number} piece
   */
  make(seat, piece) {
    const colour = this.ground.colours[seat];
    const look = { class: `piece colour-${colour}`, "data-seat": seat, "data-piece": piece };
    const drawn = s(
      "g",
      { ...look, onclick: () => drawn.classList.contains("movable") && this.chosen(piece) },
      s("circle", { r: 0.86, class: "piece-reach" }),
      s("circle", { r: 0.53, class: "piece-glow" }),
      s(
        "g",
        { class: "piece-up" },
        s("circle", { cy: 0.07, r: 0.42, class: "piece-shade" }),
        s("circle", { r: 0.385, class: "piece-body" }),
        s("circle", { r: 0.29, class: "piece-ring" }),
        s("path", { d: SHAPES[colour], transform: "scale(.34)", class: "piece-mark" }),
      ),
      s(
        "g",
        { class: "piece-down" },
        s("path", { d: LYING, transform: "translate(0 .06)", class: "piece-shade" }),
        s("path", { d: LYING, class: "piece-body" }),
        s("path", { d: SHAPES[colour], transform: "translate(-.12 0) scale(.24)", class: "piece-mark" }),
      ),
      s(
        "g",
        { class: "piece-number", transform: "translate(.34 -.36)" },
        s("circle", { r: 0.235 }),
        s("text", { "text-anchor": "middle", y: 0.115 }, number(piece + 1)),
      ),
    );
    this.drawn.set(`${seat}.${piece}`, drawn);
    this.layer.append(drawn);
    return drawn;
  }

  /**
   * Let a piece walk its path.
   * @param {number} seat
   * @param {number} piece
   * @param {number} start
   * @param {number} end
   */
  walk(seat, piece, start, end) {
    const steps = this.ground.path(seat, piece, start, end);
    const duration = Math.min(STEP_MS * Math.max(steps.length, 2), WALK_MS);
    return this.move(seat, piece, steps, duration);
  }

  /**
   * Let a captured piece go back.
   * @param {number} seat
   * @param {number} piece
   */
  sendBack(seat, piece) {
    return this.move(seat, piece, [this.ground.spot(seat, piece, this.ground.captured)], BACK_MS);
  }

  /** End all that moves, at once. */
  rush() {
    for (const moving of this.moving) moving.finish();
  }

  /**
   * Show which pieces of a seat may be chosen.
   * @param {number | null} seat
   * @param {number[]} movable
   */
  offer(seat, movable) {
    for (const [key, drawn] of this.drawn) {
      const [of, piece] = key.split(".").map(Number);
      const may = of === seat && movable.includes(piece);
      drawn.classList.toggle("movable", may);
      if (may) this.layer.append(drawn); // on top of those it shares a square with
    }
  }

  /**
   * Mark where pieces of a seat would come to; with their numbers, where that is not the same.
   * @param {number} seat
   * @param {import("/net/protocol.js").Way[]} ways
   */
  aim(seat, ways) {
    /** @type {Map<string, {stand: Stand, pieces: Set<number>}>} */
    const squares = new Map();
    for (const { piece, progress } of ways) {
      const { x, y } = this.ground.spot(seat, piece, progress);
      const square = squares.get(`${x},${y}`) ?? { stand: { x, y, size: 1 }, pieces: new Set() };
      squares.set(`${x},${y}`, square);
      square.pieces.add(piece + 1);
    }
    this.targets.replaceChildren(...[...squares.values()].map(({ stand, pieces }) => target(this.ground.colours[seat], stand, [...pieces])));
  }

  /**
   * @param {number} seat
   * @param {number} piece
   * @param {Stand[]} steps
   * @param {number} duration ms
   */
  async move(seat, piece, steps, duration) {
    const drawn = this.drawn.get(`${seat}.${piece}`);
    if (!drawn || CALM.matches || document.hidden) return;
    this.layer.append(drawn);
    const frames = [drawn.style.transform, ...steps.map(placed)];
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

  /**
   * Where each piece stands, beside others on the same square.
   * @param {number[][]} pieces
   * @returns {Map<string, Stand>}
   */
  arrange(pieces) {
    /** @type {Map<string, string[]>} */
    const squares = new Map();
    /** @type {Map<string, Stand>} */
    const stands = new Map();
    pieces.forEach((own, seat) =>
      own.forEach((progress, piece) => {
        const stand = { ...this.ground.spot(seat, piece, progress) };
        stands.set(`${seat}.${piece}`, stand);
        const square = `${stand.x},${stand.y}`;
        squares.set(square, [...(squares.get(square) ?? []), `${seat}.${piece}`]);
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
}

/**
 * A mark on a square where pieces would come to.
 * @param {import("/games/parts/marks.js").Colour} colour
 * @param {Stand} stand
 * @param {number[]} pieces
 */
function target(colour, stand, pieces) {
  const said = pieces.length === 1 && s("text", { "text-anchor": "middle", y: 0.145 }, number(pieces[0]));
  return s(
    "g",
    { class: `target colour-${colour}`, transform: `translate(${stand.x} ${stand.y})`, "data-target": pieces.join() },
    s("circle", { r: 0.44, class: "target-ring" }),
    said,
  );
}

/** A piece on its side: a body that narrows to a head. */
const LYING = "M-.4-.26C-.5-.1-.5.1-.4.26-.12.32.1.2.24.13A.17.17 0 1 0 .24-.13C.1-.2-.12-.32-.4-.26Z";

/** @param {Stand} stand */
function placed({ x, y, size }) {
  return `translate(${x.toFixed(3)}px, ${y.toFixed(3)}px) scale(${size})`;
}
