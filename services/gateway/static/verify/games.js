// @ts-check
/**
 * What of a game has to do with chance, and with places: how its events show a roll, who starts and
 * who has come in where. A game is added by an entry of its own.
 */

import { Shots } from "./shots.js";

/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./dice.js").Chance} Chance */
/** @typedef {import("./dice.js").Drawn} Drawn */
/** @typedef {Record<string, string | number>} Options */

/**
 * A roll as an event shows it.
 * @typedef {object} Shown
 * @property {"die" | "cowries"} kind
 * @property {number} shells How many cowries there are; 0 of a die.
 * @property {number} index Rolls of the match are counted from 0.
 * @property {number} seat The colour.
 * @property {string} number The player's own for this roll; empty for none.
 * @property {number} value The face; of cowries how many lie mouth up.
 * @property {boolean} asked Whether a player asks for such a roll, with a number of his own.
 */

/**
 * @typedef {object} GameOfChance
 * @property {(event: Event) => Shown | null} shown
 * @property {(shown: Shown, chance: Chance) => Drawn} draw The same roll, drawn again.
 * @property {(events: Event[], seats: number[], chance: Chance) => Start | null} start
 *   Who starts, where something decides it: by what the events before play's first step show.
 * @property {(options: Options, seats: number[]) => number[]} colours The colours that play, by the
 *   seats at the table.
 * @property {(options: Options, colour: number) => number} seatOf Whose a colour is.
 * @property {(event: Event, options: Options, colours: number[]) => [number, number][]} places
 *   The places that an event gives: (seat, place), 0 for none.
 * @property {(options: Options) => Shots} [shots] Begins to compute a match's shots again, where it has any.
 */

/**
 * `among`: so many colours could begin.
 * @typedef {{seat: number, due: number, among: number, drawn: Drawn | null}} Start
 */

/**
 * Return what games have in common whose seats roll for the start, or draw lots, and come in.
 * @param {string} name
 * @param {string} startRolled How the event of such a roll is called.
 * @returns {Pick<GameOfChance, "start" | "places">}
 */
function race(name, startRolled) {
  return {
    start(events, colours, chance) {
      const decided = events.find(({ type }) => type === `${name}.start_decided`);
      if (!decided) return null;
      const { seat } = decided;
      const among = colours.length;
      if (decided.why === "random") {
        const drawn = chance.lot(among);
        return { seat, due: colours[drawn.value], among, drawn };
      }
      let left = colours; // round by round those with the highest roll go on, until it is one
      const rolls = events.filter(({ type }) => type === startRolled);
      while (left.length > 1 && rolls.length >= left.length) {
        const round = rolls.splice(0, left.length);
        const highest = Math.max(...round.map(({ value }) => value));
        left = round.filter(({ value }) => value === highest).map(({ seat }) => seat);
      }
      return { seat, due: left[0], among, drawn: null };
    },

    places(event, options, colours) {
      switch (event.type) {
        case `${name}.seat_finished`:
        case `${name}.seat_left`:
        case `${name}.seat_remained`:
          return [[event.seat, event.place]];
        case `${name}.side_won`: {
          const second = options.finish === "first_only" ? 0 : 2;
          return colours.map((seat) => [seat, event.seats.includes(seat) ? 1 : second]);
        }
        default:
          return [];
      }
    },
  };
}

/** @type {GameOfChance} */
const LUDO = {
  ...race("ludo", "ludo.start_rolled"),

  shown(event) {
    const asked = event.type === "ludo.rolled";
    if (!asked && event.type !== "ludo.start_rolled") return null;
    const { index, seat, value } = event;
    return { kind: "die", shells: 0, index, seat, number: event.number ?? "", value, asked };
  },

  draw: ({ index, seat, number }, chance) => chance.die(index, seat, number),
  colours: (_, seats) => seats,
  seatOf: (_, colour) => colour,
};

/** @type {GameOfChance} */
const PACHISI = {
  ...race("pachisi", "pachisi.start_thrown"),

  shown(event) {
    const asked = event.type === "pachisi.thrown";
    if (!asked && event.type !== "pachisi.start_thrown") return null;
    const { index, seat, shells, mouths } = event;
    return { kind: "cowries", shells, index, seat, number: event.number ?? "", value: mouths, asked };
  },

  draw: ({ index, seat, number, shells }, chance) => chance.cowries(index, seat, number, shells),
  // Two players may have two colours each, opposite ones (rule P5.6).
  colours: (options, seats) => (options.two_colours === "on" ? [0, 1, 2, 3] : seats),
  seatOf: (options, colour) => (options.two_colours === "on" ? colour % 2 : colour),
};

/** Nothing in it is left to chance but who gets which seat. @type {GameOfChance} */
const CARROM = {
  shown: () => null,

  draw() {
    throw new RangeError("nothing is drawn at Carrom");
  },

  start: () => null,
  shots: (options) => new Shots(options),
  colours: (_, seats) => seats,
  seatOf: (_, colour) => colour,

  places(event, options, colours) {
    if (event.type === "carrom.points_won") {
      return event.ranks.map((/** @type {Event} */ { seat, place }) => [seat, place]);
    }
    const ends = options.match === "one_board" ? "carrom.board_won" : "carrom.match_won";
    if (event.type !== ends) return [];
    return colours.map((seat) => [seat, event.seats.includes(seat) ? 1 : 2]);
  },
};

/** By the game's name, as records have it before the version of its rules. */
export const GAMES_OF_CHANCE = /** @type {Record<string, GameOfChance>} */ ({
  ludo: LUDO,
  pachisi: PACHISI,
  carrom: CARROM,
});
