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
 * @property {number[]} down Coins that are down, white and black; for points, by seat.
 * @property {number[]} owed Coins that are still to go back, likewise.
 * @property {number[]} points Of each seat; empty where nobody plays for points.
 * @property {number[]} score Of the first seat's side and the other's, in a match of several boards.
 * @property {number} shots
 * @property {string | null} winner
 */

const [STRIKER, QUEEN] = [0, 1];

/**
 * What went back lies on the board again.
 * @param {Board} board
 * @param {Event} event
 */
function putBack(board, { returned, down, owed, points }) {
  const places = [...board.places, ...returned].sort((one, other) => one.disc - other.disc);
  Object.assign(board, { places, down, owed, points });
}

/** @type {{[type: string]: (board: Board, event: Event) => void}} */
const CHANGES = {
  "carrom.board_laid": (board, event) => {
    const { board: number, white, black, places, breaker } = event;
    const lies = places.some((/** @type {Placed} */ one) => one.disc === QUEEN);
    const queen = lies ? "board" : "covered"; // a table may play without her
    const none = (white.length > 0 ? [0, 0] : board.seats).map(() => 0);
    const points = white.length > 0 ? [] : none;
    Object.assign(board, { board: number, white, black, places, turn: breaker, queen, down: none, owed: none, points, winner: null });
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
  "carrom.queen_returned": (board, event) => {
    const { down, owed, points } = board;
    putBack(board, { ...event, down, owed, points });
    board.queen = "board";
  },
  "carrom.board_won": (board, event) => {
    board.winner = event.colour;
    const at = event.seats.includes(board.seats[0]) ? 0 : 1;
    board.score = board.score.map((score, side) => score + (side === at ? event.points : 0));
  },
};

const ALONE = /** @type {const} */ (["red", "green", "yellow", "blue"]); // marks of seats alone

/**
 * A seat's coins: those that the board says; else as on a first board, where south has white and
 * everybody's neighbours the other colour (rule K4). For points nobody has any, but a mark of his own.
 * @param {number} seat
 * @param {import("/net/protocol.js").Options} options
 * @param {Board | null} [board]
 */
function colour(seat, options, board) {
  if (options.mode === "points") return ALONE[seat];
  const first = options.players === "2v2" ? seat % 2 === 1 : seat !== 0;
  const black = board?.board ? board.black.includes(seat) : first;
  return black ? "black" : "white";
}

/** @type {import("/games/game.js").Game} */
export const carrom = {
  name: "carrom",
  rules: ["goal", "shot", "again", "queen", "striker", "last", "options", "clock"],
  initial(seats) {
    const none = { board: 0, white: [], black: [], places: [], down: [0, 0], owed: [0, 0], points: [], score: [0, 0], shots: 0, winner: null };
    return { seats, turn: seats[0], queen: "board", ...none };
  },
  fold(board, event) {
    CHANGES[event.type]?.(board, event);
  },
  say,
  seatMark: (seat, options, board) => mark(colour(seat, options, board)),
  seatName: (seat) => t(`carrom.seat.${seat}`),
  corners: "cbad",
  turns: 0,
  view,
};
