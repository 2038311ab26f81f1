// @ts-check
/** The live board of Pachisi: it shows what records say, and offers what the record allows. */
import { h } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { PiecesView } from "/games/parts/view.js";
import { CHARKONI, COLOURS, HERE, HOME, RETURN, drawing, path, spot } from "/games/pachisi/board.js";
import { first, throws, uses } from "/games/pachisi/choices.js";
import { cowries } from "/games/pachisi/cowries.js";
import { part } from "/games/pachisi/words.js";

/** @typedef {import("/games/pachisi.js").Board} Board */
/** @typedef {import("/games/pachisi/cowries.js").Throw} Throw */
/** @typedef {import("/games/parts/view.js").PiecesView<Board, Throw>} View */

const ALL = "0,1,2,3";

/** @type {import("/games/parts/pieces.js").Ground} */
const GROUND = { colours: COLOURS, spot, path, captured: CHARKONI, lies: (progress) => progress >= RETURN && progress < HOME };

/**
 * @param {import("/games/game.js").Hooks} hooks
 * @returns {import("/games/game.js").View}
 */
export function view(hooks) {
  return new PiecesView(hooks, kind());
}

/** @returns {import("/games/parts/view.js").Kind<Board, Throw>} */
function kind() {
  /** The choices of which one throw is picked. @type {Board["choices"]} */
  let among = [];
  let picked = 0;
  return {
    name: "pachisi",
    viewBox: "-10.1 -10.1 20.2 20.2",
    ground: GROUND,
    look: cowries(),
    drawn: (state) => state.board?.seats.join() ?? ALL,
    drawing,
    here: HERE,
    pieces: (board) => board.pieces,
    last: (board) => board.last ?? { thrown: null, seat: board.turn },
    waiting: (board) => board.open.map((open) => h("span", { class: "tag brass numbers" }, part(open))),
    says(state, throws) {
      const other = throws ? state.board.turn : state.board.mover;
      if (other === state.step_seat && state.options.two_colours !== "on") return null;
      const seat = t(`pachisi.seat.${other}`);
      return t(throws ? "pachisi.do_throw_for" : "pachisi.do_choose_of", { seat });
    },
    asks: "pachisi.throw",
    touched: (board, piece, on) => {
      const { item, pieces } = board.choices[picked];
      on.act({ type: "pachisi.move", item, piece, lap: !pieces.includes(piece) });
    },
    offer(board, on) {
      const { choices } = board;
      if (choices.length === 0) return null;
      if (choices !== among) [among, picked] = [choices, first(choices)];
      const choice = choices[picked];
      const pick = (/** @type {number} */ at) => {
        picked = at;
        on.drawOffer();
        document.getElementById(`open-throw-${at}`)?.focus({ preventScroll: true });
      };
      const ways = on.ways.filter((way) => way.item === choice.item);
      const buttons = [...throws(board, picked, pick), ...uses(board, choice, ways, (intent) => on.act(intent))];
      return { seat: board.mover ?? 0, pieces: [...choice.pieces, ...choice.laps], buttons, ways };
    },
    async play(event, on) {
      if (event.type === "pachisi.thrown" || event.type === "pachisi.start_thrown") {
        on.hooks.sound("dice");
        const { shells, mouths, value } = event;
        await on.thrower.settle({ shells, mouths, value }, event.seat);
      } else if (event.type === "pachisi.used") {
        for (const one of event.moves) {
          on.hooks.sound(one.progress === HOME ? "home" : "step");
          await on.pieces.walk(event.mover, one.piece, one.start, one.progress);
        }
      } else if (event.type === "pachisi.captured") {
        on.hooks.sound("capture");
        await on.pieces.sendBack(event.seat, event.piece);
      }
    },
  };
}
