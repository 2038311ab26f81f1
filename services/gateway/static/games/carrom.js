// @ts-check
/** Carrom as it is shown: what its events change on the board, what they say, and its view. */
import { t } from "/page/i18n.js";
import { mark } from "/games/parts/marks.js";
import { view } from "/games/carrom/view.js";
import { say } from "/games/carrom/words.js";

/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {{disc: number, x: number, y: number}} Placed */
/**
 * As snapshots have it, as far as it is shown.
 * @typedef {object} Board
 * @property {number} board
 * @property {number[]} seats
 * @property {number[]} white
 * @property {number[]} black
 * @property {Placed[]} places In the board's frame, ascending by disc.
 * @property {number | null} turn
 * @property {"board" | "held" | "pending" | "covered"} queen
 * @property {number[]} down Coins that are down, white and black.
 * @property {number[]} owed Coins that are still to go back, white and black.
 * @property {number} shots
 * @property {string | null} winner
 */

const [STRIKER, QUEEN] = [0, 1];

/**
 * What went back lies on the board again.
 * @param {Board} board
 * @param {Event} event
 */
function putBack(board, { returned, down, owed }) {
  const places = [...board.places, ...returned].sort((one, other) => one.disc - other.disc);
  Object.assign(board, { places, down, owed });
}

/** @type {{[type: string]: (board: Board, event: Event) => void}} */
const CHANGES = {
  "carrom.board_laid": (board, event) => {
    const { board: number, white, black, places, breaker } = event;
    const lies = places.some((/** @type {Placed} */ one) => one.disc === QUEEN);
    const queen = lies ? "board" : "covered"; // a table may play without her
    Object.assign(board, { board: number, white, black, places, turn: breaker, queen, down: [0, 0], owed: [0, 0] });
  },
  "carrom.striker_shot": (board) => void (board.shots += 1),
  "carrom.striker_blocked": (board) => void (board.shots += 1),
  "carrom.discs_rested": (board, event) => {
    board.places = event.places.filter((/** @type {Placed} */ one) => one.disc !== STRIKER);
  },
  "carrom.shot_judged": (board, event) => {
    putBack(board, event);
    board.queen = event.queen;
  },
  "carrom.debts_paid": putBack,
  "carrom.shoots_again": (board, event) => void (board.turn = event.seat),
  "carrom.turn_passed": (board, event) => void (board.turn = event.seat),
  "carrom.board_won": (board, event) => void (board.winner = event.colour),
};

/**
 * A seat's coins: south has white, and everybody's neighbours the other colour (rule K4).
 * @param {number} seat
 * @param {import("/net/protocol.js").Options} options
 */
function colour(seat, options) {
  const black = options.players === "2v2" ? seat % 2 === 1 : seat !== 0;
  return black ? "black" : "white";
}

/** @type {import("/games/game.js").Game} */
export const carrom = {
  name: "carrom",
  rules: ["goal", "shot", "again", "queen", "striker", "last", "clock"],
  initial(seats) {
    const none = { board: 0, white: [], black: [], places: [], down: [0, 0], owed: [0, 0], shots: 0, winner: null };
    return { seats, turn: seats[0], queen: "board", ...none };
  },
  fold(board, event) {
    CHANGES[event.type]?.(board, event);
  },
  say,
  seatMark: (seat, options) => mark(colour(seat, options)),
  seatName: (seat) => t(`carrom.seat.${seat}`),
  corners: "cbad",
  turns: true,
  view,
};
