// @ts-check
/** The games that this page can show. One more is one more module here. */
import { carrom } from "/games/carrom.js";
import { ludo } from "/games/ludo.js";
import { pachisi } from "/games/pachisi.js";

/** @type {{[name: string]: import("/games/game.js").Game}} */
export const GAMES = { ludo, pachisi, carrom };

/**
 * Return the game of some rules, as `ludo/2`; null for one that this page does not know.
 * @param {string} rules
 */
export function game(rules) {
  const name = rules.split("/")[0];
  return Object.hasOwn(GAMES, name) ? GAMES[name] : null;
}
