// @ts-check
/** Ludo as it is shown: what its events change on the board, what they say, and its view. */
import { t } from "/page/i18n.js";
import { mark } from "/games/parts/marks.js";
import { COLOURS, HERE } from "/games/ludo/board.js";
import { view } from "/games/ludo/view.js";
import { say } from "/games/ludo/words.js";

/** @typedef {import("/net/protocol.js").Event} Event */
/**
 * As snapshots have it, as far as it is shown.
 * @typedef {object} Board
 * @property {number[]} seats
 * @property {number[][]} pawns Progress by seat and pawn: -1 base, 0 start, 51 to 55 column, 56 home.
 * @property {number[]} places
 * @property {number | null} turn
 * @property {number} roll The number that waits for a choice; 0: a roll is awaited.
 * @property {number[]} movable
 * @property {boolean} may_decline
 * @property {{seat: number, value: number}} [last] What was rolled last; not in snapshots.
 */

const [BASE, START, HOME] = [-1, 0, 56];
const PAWNS = [0, 1, 2, 3];

/** @type {{[type: string]: (board: Board, event: Event) => void}} */
const CHANGES = {
  "ludo.start_decided": (board, event) => void (board.turn = event.seat),
  "ludo.rolled": (board, event) => {
    board.last = { seat: event.seat, value: event.value };
    board.roll = event.value;
    board.movable = event.movable;
    board.may_decline = false;
  },
  "ludo.choice_opened": (board, event) => {
    board.movable = event.movable;
    board.may_decline = event.may_decline;
  },
  "ludo.roll_declined": (board) => settle(board),
  "ludo.pawn_moved": (board, event) => {
    board.pawns[event.seat][event.pawn] = event.progress;
    settle(board);
  },
  "ludo.pawn_captured": (board, event) => void (board.pawns[event.seat][event.pawn] = BASE),
  "ludo.turn_undone": (board, event) => void (board.pawns = structuredClone(event.pawns)),
  "ludo.rolls_again": (board) => settle(board),
  "ludo.turn_passed": (board, event) => {
    board.turn = event.seat;
    settle(board);
  },
  "ludo.seat_finished": (board, event) => {
    board.places[event.seat] = event.place;
    const pawns = board.pawns[event.seat];
    board.pawns[event.seat] = pawns.map((at) => (at === HOME ? HOME : BASE));
  },
  "ludo.seat_left": (board, event) => {
    board.places[event.seat] = event.place;
    board.pawns[event.seat] = [];
  },
  "ludo.seat_remained": (board, event) => void (board.places[event.seat] = event.place),
  "ludo.side_won": () => undefined, // the places come with the end of the match
};

/** @param {Board} board */
function settle(board) {
  board.roll = 0;
  board.movable = [];
  board.may_decline = false;
}

/** @type {import("/games/game.js").Game} */
export const ludo = {
  name: "ludo",
  rules: ["goal", "enter", "move", "capture", "safe", "again", "sixes", "home"],
  initial(seats, options) {
    const out = Number(options.pawns_out ?? 0);
    const pawns = PAWNS.map((seat) =>
      seats.includes(seat) ? PAWNS.map((pawn) => (pawn < out ? START : BASE)) : [],
    );
    const none = { roll: 0, movable: [], may_decline: false };
    return { seats, pawns, places: [0, 0, 0, 0], turn: seats[0], ...none };
  },
  fold(board, event) {
    CHANGES[event.type]?.(board, event);
  },
  say,
  seatMark: (seat) => mark(COLOURS[seat]),
  corners: "abcd",
  turns: HERE,
  seatName: (seat) => t(`ludo.seat.${seat}`),
  view,
};

