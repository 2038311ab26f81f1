// @ts-check
/** The live board of Ludo: it shows what records say, and offers what the record allows. */
import { t } from "/page/i18n.js";
import { PiecesView, chooses, declines } from "/games/parts/view.js";
import { COLOURS, HERE, HOME, drawing, path, spot } from "/games/ludo/board.js";
import { die } from "/games/ludo/die.js";
import { square } from "/games/ludo/words.js";

/** @typedef {import("/games/ludo.js").Board} Board */

/** @type {import("/games/parts/pieces.js").Ground} */
export const GROUND = { colours: COLOURS, spot, path, captured: -1, lies: () => false };

/**
 * @param {import("/games/game.js").Hooks} hooks
 * @returns {import("/games/game.js").View}
 */
export function view(hooks) {
  return new PiecesView(hooks, kind());
}

/** @returns {import("/games/parts/view.js").Kind<Board, number>} */
function kind() {
  return {
    name: "ludo",
    viewBox: "-.6 -.6 16.2 16.2",
    ground: GROUND,
    look: die(),
    drawn: (state) => String(state.options.safe ?? "starts+stars"),
    drawing,
    here: HERE,
    pieces: (board) => board.pawns,
    last: (board) => (board.last ? { thrown: board.last.value, seat: board.last.seat } : { thrown: board.roll, seat: board.turn }),
    asks: "ludo.roll",
    touched: (_, pawn, on) => on.act({ type: "ludo.move", pawn }),
    offer(board, on, seat) {
      if (board.movable.length === 0) return null;
      const leads = (/** @type {number} */ pawn) => {
        const way = on.ways.find((one) => one.piece === pawn);
        return way ? t("leads", { to: square(way.progress) }) : square(board.pawns[seat][pawn]);
      };
      const buttons = board.movable.map((pawn) =>
        chooses(t("ludo.choose", { pawn: pawn + 1 }), leads(pawn), () => on.act({ type: "ludo.move", pawn }), { "data-piece": pawn }),
      );
      const decline = () => on.act({ type: "ludo.decline" });
      if (board.may_decline) buttons.push(declines(t("ludo.decline"), decline));
      return { seat, pieces: board.movable, buttons, ways: on.ways };
    },
    async play(event, on) {
      if (event.type === "ludo.rolled") {
        on.hooks.sound("dice");
        await on.thrower.settle(event.value, event.seat);
      } else if (event.type === "ludo.pawn_moved") {
        on.hooks.sound(event.progress === HOME ? "home" : "step");
        await on.pieces.walk(event.seat, event.pawn, event.start, event.progress);
      } else if (event.type === "ludo.pawn_captured") {
        on.hooks.sound("capture");
        await on.pieces.sendBack(event.seat, event.pawn);
      }
    },
  };
}
