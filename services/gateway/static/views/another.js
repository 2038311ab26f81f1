// @ts-check
/** Another match like one that is over. */
import { game } from "/games/all.js";
import { Refused, read } from "/net/account.js";
import { house } from "/net/house.js";

const GONE = ["table_full", "not_open", "unknown_match", "already_seated"];

/**
 * Sit down at a table of the same game, options and entry where somebody waits already, as those who
 * played just now may; or at a new one. Rejected with `Refused`.
 * @param {import("/net/protocol.js").MatchState} like
 * @returns {Promise<string>} The match's id.
 */
export async function another(like) {
  const name = game(like.rules)?.name ?? "";
  if (like.entry_coins === 0) return house.playNow(name, like.options);
  /** @type {import("/net/protocol.js").Lobby} */
  const now = await read("/api/lobby");
  const found = now.tables.find((one) => alike(one, like) && one.players.length < one.size && !house.mine.has(one.match_id));
  if (found) {
    try {
      return await house.join(found.match_id);
    } catch (why) {
      if (!(why instanceof Refused) || !GONE.includes(why.reason)) throw why;
    }
  }
  return house.open(name, like.options, like.entry_coins);
}

/**
 * @param {import("/net/protocol.js").OpenTable} one
 * @param {import("/net/protocol.js").MatchState} other
 */
function alike(one, other) {
  const names = Object.keys(one.options);
  const same = names.length === Object.keys(other.options).length && names.every((name) => one.options[name] === other.options[name]);
  return same && one.rules === other.rules && one.entry_coins === other.entry_coins;
}
