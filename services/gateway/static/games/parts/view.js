// @ts-check
/** The live board of a game with pieces and something to throw: what all such games have alike. */
import { fill, h, s } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { number64 } from "/net/ids.js";
import { placeOf, turnFor } from "/games/parts/squares.js";
import { Pieces } from "/games/parts/pieces.js";
import { Thrower } from "/games/parts/thrower.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {import("/net/protocol.js").Way} Way */
/**
 * What a player may choose among now.
 * @typedef {object} Offer
 * @property {number} seat Whose pieces they are.
 * @property {number[]} pieces Those that are chosen by a touch.
 * @property {Node[]} buttons Everything that may be chosen.
 * @property {Way[]} ways Where each piece of those would come to.
 */
/**
 * What was thrown last, and by whom; null: nothing, nobody.
 * @template V
 * @typedef {{thrown: V | null, seat: number | null}} Last
 */
/**
 * What a game says of itself. Its texts are those of `name`.
 * @template B Its board, as snapshots have it.
 * @template V What a throw shows.
 * @typedef {object} Kind
 * @property {string} name
 * @property {string} viewBox
 * @property {import("/games/parts/pieces.js").Ground} ground
 * @property {import("/games/parts/thrower.js").Look<V>} look
 * @property {(state: MatchState) => string} drawn Which board is drawn: an option, or nothing.
 * @property {(which: string, turn: number) => SVGElement} drawing The board without pieces.
 * @property {number} here The place at which whoever plays sees himself.
 * @property {(board: B) => number[][]} pieces Progress by seat and piece.
 * @property {(board: B) => Last<V>} last
 * @property {(board: B) => Node[]} [waiting] Throws that wait to be used.
 * @property {(state: MatchState, throws: boolean) => string | null} [says] What there is to do, where
 *   it is more than to throw or to choose.
 * @property {string} asks The intent that asks for a throw.
 * @property {(board: B, view: PiecesView<B, V>, seat: number) => Offer | null} offer What may be
 *   chosen; null: a throw is awaited.
 * @property {(board: B, piece: number, view: PiecesView<B, V>) => void} touched Of those offered.
 * @property {(event: Event, view: PiecesView<B, V>) => Promise<void>} play Let it be seen.
 */

/**
 * @template B
 * @template V
 */
export class PiecesView {
  /**
   * @param {import("/games/game.js").Hooks} hooks
   * @param {Kind<B, V>} kind
   */
  constructor(hooks, kind) {
    this.hooks = hooks;
    this.kind = kind;
    /** What may be done now, by the newest record. @type {B | null} */
    this.offered = null;
    /** Whose it is. @type {number | null} */
    this.seat = null;
    /** Where pieces come to that may be chosen. @type {Way[]} */
    this.ways = [];
    /** By how many quarters the board is turned for whoever looks. */
    this.turn = 0;
    /** The match as it was shown last. @type {MatchState | null} */
    this.shown = null;
    const { spot, path } = kind.ground;
    /** @type {import("/games/parts/pieces.js").Ground} */
    const ground = {
      ...kind.ground,
      spot: (seat, piece, progress) => spot(placeOf(seat, this.turn), piece, progress),
      path: (seat, piece, start, end) => path(placeOf(seat, this.turn), piece, start, end),
    };
    this.pieces = new Pieces(ground, (piece) => this.offered && kind.touched(this.offered, piece, this));
    this.thrower = new Thrower(kind.look, () => this.throw());
    this.text = h("p", { class: "controls-text" });
    this.waiting = h("div", { class: "waiting row" });
    this.choices = h("div", { class: "choices", role: "group" });
    this.controls = h(
      "div",
      { class: "controls" },
      this.thrower.button,
      h("div", { class: "controls-side" }, this.text, this.waiting, this.choices),
    );
    this.ground = s("g", null);
    this.picture = s("svg", { viewBox: kind.viewBox, class: `picture ${kind.name}`, role: "img" });
    this.picture.append(this.ground, this.pieces.targets, this.pieces.layer);
    this.board = h("div", { class: "board", dir: "ltr" }, this.picture);
    /** @type {string | null} */
    this.drawn = null;
  }

  /** @param {MatchState} state */
  show(state) {
    this.shown = state;
    const which = this.kind.drawn(state);
    const drawn = `${which} ${this.turn}`;
    if (this.drawn !== drawn) this.ground.replaceChildren(this.kind.drawing(which, this.turn));
    this.drawn = drawn;
    if (state.board) {
      this.pieces.show(this.kind.pieces(state.board));
      const { thrown, seat } = this.kind.last(state.board);
      this.thrower.set(thrown, seat, state.phase === "playing" ? state.board.turn : seat);
      fill(this.waiting, state.phase === "playing" ? (this.kind.waiting?.(state.board) ?? []) : []);
    }
    this.picture.setAttribute("aria-label", t(`${this.kind.name}.board`));
  }

  /** @param {import("/net/protocol.js").LogRecord} record */
  async play(record) {
    for (const event of record.events) await this.kind.play(event, this);
  }

  rush() {
    this.thrower.rush();
    this.pieces.rush();
  }

  /**
   * @param {MatchState | null} state
   * @param {number | null} seat
   * @param {Way[]} ways
   */
  offer(state, seat, ways) {
    const was = this.controls.contains(document.activeElement);
    this.offered = state?.board ?? null;
    this.seat = seat;
    this.ways = ways;
    if (seat !== null) this.turnTo(turnFor(this.kind.here, seat));
    const throws = this.drawOffer();
    if (this.offered === null) {
      if (was) this.thrower.button.focus({ preventScroll: true });
      return;
    }
    const usual = t(`${this.kind.name}.${throws ? "do_throw" : "do_choose"}`);
    this.text.textContent = (state && this.kind.says?.(state, throws)) ?? usual;
    this.controls.classList.add("yours");
    const free = [document.body, document.getElementById("main")];
    if (!was && !free.includes(/** @type {HTMLElement} */ (document.activeElement))) return;
    const first = this.choices.querySelector(".choice") ?? this.thrower.button;
    /** @type {HTMLElement} */ (first).focus({ preventScroll: true });
  }

  /** Turn the board so that whoever plays sees himself where he expects it. @param {number} turn */
  turnTo(turn) {
    if (this.turn === turn) return;
    this.turn = turn;
    if (this.shown) this.show(this.shown);
  }

  /** Draw what may be chosen; return whether a throw is awaited instead. */
  drawOffer() {
    const { offered, seat } = this;
    const offer = offered && seat !== null ? this.kind.offer(offered, this, seat) : null;
    const throws = offered !== null && offer === null;
    this.pieces.offer(offer?.seat ?? null, offer?.pieces ?? []);
    this.pieces.aim(offer?.seat ?? 0, offer?.ways ?? []);
    this.thrower.offer(throws);
    fill(this.choices, offer?.buttons ?? []);
    return throws;
  }

  /** @param {string} text */
  wait(text) {
    this.text.textContent = text;
    this.controls.classList.remove("yours");
    if (text === "") this.thrower.still();
  }

  throw() {
    if (!this.thrower.button.classList.contains("ready")) return;
    this.thrower.shake();
    this.act({ type: this.kind.asks, number: number64() });
  }

  /** @param {{type: string, [field: string]: any}} intent */
  act(intent) {
    this.rush();
    this.offer(null, null, []);
    this.hooks.act(intent);
  }

  /** @param {number} seq */
  mark(seq) {
    this.board.dataset.seq = String(seq);
  }
}

/**
 * A button of what may be chosen: what, and in smaller letters where that leads, or where it stands.
 * @param {string} what
 * @param {string} where
 * @param {() => void} press
 * @param {{[name: string]: unknown}} [about]
 */
export function chooses(what, where, press, about = {}) {
  const props = { type: "button", class: "button choice", onclick: press, ...about };
  return h("button", props, h("strong", null, what), " ", h("span", null, where));
}

/**
 * A button that leaves a throw unused.
 * @param {string} text
 * @param {() => void} press
 */
export function declines(text, press) {
  return h("button", { type: "button", class: "button", "data-do": "decline", onclick: press }, text);
}
