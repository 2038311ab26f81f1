// @ts-check
/** Pachisi as it is shown: what its events change on the board, what they say, and its view. */
import { t } from "/page/i18n.js";
import { mark } from "/games/parts/marks.js";
import { CHARKONI, COLOURS, HERE } from "/games/pachisi/board.js";
import { view } from "/games/pachisi/view.js";
import { say } from "/games/pachisi/words.js";

/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {{throw: number, part: string, value: number, enters: boolean}} Open */
/**
 * What may be done with the open throw of this number.
 * @typedef {object} Choice
 * @property {number} item
 * @property {number[]} pieces Those that can use it alone.
 * @property {number[]} laps Those that can go round again by it.
 * @property {number[][]} groups Of each any two or more can use it together.
 * @property {{piece: number, steps: number, lap: boolean}[]} split One way to share it; or empty.
 * @property {boolean} may_decline
 */
/**
 * As snapshots have it, as far as it is shown.
 * @typedef {object} Board
 * @property {number[]} seats
 * @property {number[][]} pieces Progress by seat and piece: 0 in the Charkoni, 1 to 7 going out, 8 and
 *   76 the own tip, 77 to 83 coming home, 84 home.
 * @property {number[]} places
 * @property {number | null} turn
 * @property {number | null} mover Whose pieces the seat on turn moves.
 * @property {Open[]} open
 * @property {Choice[]} choices Empty: a throw is awaited.
 * @property {number[]} done The seats that have all their pieces home.
 * @property {{thrown: import("/games/pachisi/cowries.js").Throw, seat: number}} [last] What was thrown
 *   last; not in snapshots.
 */

const ALL = [0, 1, 2, 3];

/** @type {{[type: string]: (board: Board, event: Event) => void}} */
const CHANGES = {
  "pachisi.start_thrown": thrown,
  "pachisi.start_decided": (board, event) => turn(board, event.seat),
  "pachisi.thrown": (board, event) => {
    thrown(board, event);
    board.open.push(...event.opened);
  },
  "pachisi.throws_cancelled": (board, event) => close(board, event.items),
  "pachisi.choice_opened": (board, event) => {
    board.mover = event.mover;
    board.choices = event.choices;
  },
  "pachisi.used": (board, event) => {
    for (const one of event.moves) board.pieces[event.mover][one.piece] = one.progress;
    close(board, [event.item]);
  },
  "pachisi.declined": (board, event) => close(board, [event.item]),
  "pachisi.lapsed": (board, event) => close(board, event.items),
  "pachisi.captured": (board, event) => void (board.pieces[event.seat][event.piece] = CHARKONI),
  "pachisi.throws_again": (board) => void (board.choices = []),
  "pachisi.turn_passed": (board, event) => turn(board, event.seat),
  "pachisi.seat_finished": (board, event) => {
    board.places[event.seat] = event.place;
    board.done.push(event.seat);
  },
  "pachisi.seat_left": (board, event) => {
    board.places[event.seat] = event.place;
    for (const seat of event.colours) if (!board.done.includes(seat)) board.pieces[seat] = [];
  },
  "pachisi.seat_remained": (board, event) => void (board.places[event.seat] = event.place),
  "pachisi.side_won": () => undefined, // the places come with the end of the match
};

/** @param {Board} board @param {Event} event */
function thrown(board, event) {
  const { shells, mouths, value, seat } = event;
  board.last = { thrown: { shells, mouths, value }, seat };
}

/** @param {Board} board @param {number} seat */
function turn(board, seat) {
  Object.assign(board, { turn: seat, mover: seat, open: [], choices: [] });
}

/**
 * These open throws are gone, and those behind them move up.
 * @param {Board} board
 * @param {number[]} items
 */
function close(board, items) {
  board.open = board.open.filter((_, item) => !items.includes(item));
  board.choices = [];
}

/**
 * The seats whose colours a player has: one, or two that are opposite (rule P5.6).
 * @param {number} seat
 * @param {import("/net/protocol.js").Options} options
 */
function colours(seat, options) {
  return options.two_colours === "on" ? [seat, seat + 2] : [seat];
}

/** @type {import("/games/game.js").Game} */
export const pachisi = {
  name: "pachisi",
  rules: ["goal", "throw", "enter", "first", "castle", "capture", "lying", "overshoot", "decline"],
  initial(seats, options) {
    const playing = options.two_colours === "on" ? ALL : seats;
    const pieces = ALL.map((seat) => (playing.includes(seat) ? ALL.map(() => CHARKONI) : []));
    const none = { open: [], choices: [], done: [], places: [0, 0, 0, 0] };
    return { seats: playing, pieces, turn: seats[0], mover: seats[0], ...none };
  },
  fold(board, event) {
    CHANGES[event.type]?.(board, event);
  },
  say,
  seatMark: (seat, options) => mark(...colours(seat, options).map((one) => COLOURS[one])),
  corners: "cbad", // each where its pieces wait
  turns: HERE,
  seatName: (seat, options) => colours(seat, options).map((one) => t(`pachisi.seat.${one}`)).join(t("and")),
  view,
};
