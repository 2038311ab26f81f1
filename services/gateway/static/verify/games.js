// @ts-check
/**
 * What of a game has to do with chance, and with places: how its events show a roll, who starts and
 * who has come in where. A game is added by an entry of its own.
 */

/** @typedef {import("./form.js").Event} Event */
/** @typedef {import("./dice.js").Chance} Chance */
/** @typedef {import("./dice.js").Drawn} Drawn */

/**
 * A roll as an event shows it.
 * @typedef {object} Shown
 * @property {string} kind `die`, or `cowries`.
 * @property {number} index Rolls of the match are counted from 0.
 * @property {number} seat
 * @property {string} number The player's own for this roll; empty for none.
 * @property {number} value
 * @property {boolean} asked Whether a player asks for such a roll, with a number of his own.
 */

/**
 * @typedef {object} GameOfChance
 * @property {(event: Event) => Shown | null} shown
 * @property {(shown: Shown, chance: Chance) => Drawn} draw The same roll, drawn again.
 * @property {(events: Event[], seats: number[], chance: Chance) => Start | null} start
 *   Who starts, where something decides it: by what the events before play's first step show.
 * @property {(event: Event, options: Record<string, string | number>, seats: number[]) =>
 *   [number, number][]} places The places that an event gives: (seat, place), 0 for none.
 */

/** @typedef {{seat: number, due: number, drawn: Drawn | null}} Start */

/** @type {GameOfChance} */
const LUDO = {
  shown(event) {
    const asked = event.type === "ludo.rolled";
    if (!asked && event.type !== "ludo.start_rolled") return null;
    const { index, seat, value } = event;
    return { kind: "die", index, seat, number: asked ? event.number : "", value, asked };
  },

  draw: ({ index, seat, number }, chance) => chance.die(index, seat, number),

  start(events, seats, chance) {
    const decided = events.find(({ type }) => type === "ludo.start_decided");
    if (!decided) return null;
    if (decided.why === "random") {
      const drawn = chance.lot(seats.length);
      return { seat: decided.seat, due: seats[drawn.value], drawn };
    }
    let left = seats; // round by round those with the highest roll go on, until it is one
    const rolls = events.filter(({ type }) => type === "ludo.start_rolled");
    while (left.length > 1 && rolls.length >= left.length) {
      const round = rolls.splice(0, left.length);
      const highest = Math.max(...round.map(({ value }) => value));
      left = round.filter(({ value }) => value === highest).map(({ seat }) => seat);
    }
    return { seat: decided.seat, due: left[0], drawn: null };
  },

  places(event, options, seats) {
    switch (event.type) {
      case "ludo.seat_finished":
      case "ludo.seat_left":
      case "ludo.seat_remained":
        return [[event.seat, event.place]];
      case "ludo.side_won": {
        const second = options.finish === "first_only" ? 0 : 2;
        return seats.map((seat) => [seat, event.seats.includes(seat) ? 1 : second]);
      }
      default:
        return [];
    }
  },
};

/** By the game's name, as records have it before the version of its rules. */
export const GAMES_OF_CHANCE = /** @type {Record<string, GameOfChance>} */ ({ ludo: LUDO });
