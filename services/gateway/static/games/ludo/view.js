// @ts-check
/** The live board of Ludo: it shows what records say, and offers what the record allows. */
import { fill, h, s } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { number64 } from "/net/ids.js";
import { drawing } from "/games/ludo/board.js";
import { Die } from "/games/ludo/die.js";
import { Pawns } from "/games/ludo/pawns.js";
import { square } from "/games/ludo/words.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {import("/games/ludo.js").Board} Board */

const HOME = 56;

/**
 * @param {import("/games/game.js").Hooks} hooks
 * @returns {import("/games/game.js").View}
 */
export function view(hooks) {
  return new LudoView(hooks);
}

class LudoView {
  /** @param {import("/games/game.js").Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    /** What may be chosen now, by the newest record. @type {Board | null} */
    this.offered = null;
    this.pawns = new Pawns((pawn) => this.choose(pawn));
    this.die = new Die(() => this.roll());
    this.text = h("p", { class: "controls-text" });
    this.choices = h("div", { class: "choices", role: "group" });
    this.controls = h(
      "div",
      { class: "controls" },
      this.die.button,
      h("div", { class: "controls-side" }, this.text, this.choices),
    );
    this.ground = s("g", null);
    this.picture = s("svg", { viewBox: "-.6 -.6 16.2 16.2", class: "ludo", role: "img" });
    this.picture.append(this.ground, this.pawns.layer);
    this.board = h("div", { class: "board", dir: "ltr" }, this.picture);
    this.safe = "";
  }

  /** @param {MatchState} state */
  show(state) {
    this.ready(state);
    /** @type {Board | null} */
    const board = state.board;
    if (board) {
      this.pawns.show(board.pawns);
      const last = board.last ?? { value: board.roll, seat: board.turn };
      this.die.set(last.value, last.seat);
    }
    this.picture.setAttribute("aria-label", t("ludo.board"));
  }

  /** @param {MatchState} state */
  ready(state) {
    const safe = String(state.options.safe ?? "starts+stars");
    if (this.safe === safe) return;
    this.safe = safe;
    this.ground.replaceChildren(drawing(safe));
  }

  /** @param {import("/net/protocol.js").LogRecord} record */
  async play(record) {
    for (const event of record.events) await this.playEvent(event);
  }

  /** @param {Event} event */
  async playEvent(event) {
    if (event.type === "ludo.rolled") {
      this.hooks.sound("dice");
      await this.die.settle(event.value, event.seat);
    } else if (event.type === "ludo.pawn_moved") {
      this.hooks.sound(event.progress === HOME ? "home" : "step");
      await this.pawns.walk(event.seat, event.pawn, event.start, event.progress);
    } else if (event.type === "ludo.pawn_captured") {
      this.hooks.sound("capture");
      await this.pawns.sendBack(event.seat, event.pawn);
    }
  }

  rush() {
    this.die.rush();
    this.pawns.rush();
  }

  /**
   * @param {MatchState | null} state
   * @param {number | null} seat
   */
  offer(state, seat) {
    const was = this.controls.contains(document.activeElement);
    this.offered = state?.board ?? null;
    const board = this.offered;
    const chooses = board !== null && board.movable.length > 0;
    this.pawns.offer(chooses ? seat : null, board?.movable ?? []);
    this.die.offer(board !== null && !chooses);
    if (board === null || seat === null) {
      this.choices.replaceChildren();
      if (was) this.die.button.focus({ preventScroll: true });
      return;
    }
    this.text.textContent = t(chooses ? "ludo.do_choose" : "ludo.do_roll");
    this.controls.classList.add("yours");
    fill(this.choices, chooses ? this.buttons(board, seat) : []);
    const free = [document.body, document.getElementById("main")];
    if (!was && !free.includes(/** @type {HTMLElement} */ (document.activeElement))) return;
    const first = this.choices.querySelector("button") ?? this.die.button;
    first.focus({ preventScroll: true });
  }

  /**
   * @param {Board} board
   * @param {number} seat
   */
  buttons(board, seat) {
    const buttons = board.movable.map((pawn) =>
      h(
        "button",
        {
          type: "button",
          class: "button choice",
          "data-pawn": pawn,
          onclick: () => this.choose(pawn),
        },
        h("strong", null, t("ludo.choose", { pawn: pawn + 1 })),
        " ",
        h("span", null, square(board.pawns[seat][pawn])),
      ),
    );
    if (!board.may_decline) return buttons;
    const decline = { type: "button", class: "button", "data-do": "decline" };
    const press = () => this.act({ type: "ludo.decline" });
    return [...buttons, h("button", { ...decline, onclick: press }, t("ludo.decline"))];
  }

  /** @param {string} text */
  wait(text) {
    this.text.textContent = text;
    this.controls.classList.remove("yours");
    if (text === "") this.die.still();
  }

  roll() {
    if (this.offered === null || this.offered.movable.length > 0) return;
    this.die.shake();
    this.act({ type: "ludo.roll", number: number64() });
  }

  /** @param {number} pawn */
  choose(pawn) {
    if (this.offered?.movable.includes(pawn)) this.act({ type: "ludo.move", pawn });
  }

  /** @param {{type: string, [field: string]: any}} intent */
  act(intent) {
    this.rush();
    this.offer(null, null);
    this.hooks.act(intent);
  }

  /** @param {number} seq */
  mark(seq) {
    this.board.dataset.seq = String(seq);
  }
}
