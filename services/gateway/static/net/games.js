// @ts-check
/** The games that the house offers now, asked for once. */
import { GAMES } from "/games/all.js";
import { read } from "/net/account.js";

/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

/** @type {Promise<{games: GameInfo[], welcome_coins: number}> | null} */
let asked = null;

/** What the house says of its games. Rejected with `Refused`. */
function ask() {
  asked ??= read("/api/games");
  asked.catch(() => (asked = null)); // asked again by whoever comes next
  return asked;
}

/** Those that this page can show. @returns {Promise<GameInfo[]>} Rejected with `Refused`. */
export async function games() {
  return (await ask()).games.filter((one) => Object.hasOwn(GAMES, one.name));
}

/** What a new player is given; 0 in most houses. @returns {Promise<number>} */
export async function welcomeCoins() {
  return (await ask()).welcome_coins;
}
