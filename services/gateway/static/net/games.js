// @ts-check
/** The games that the house offers now, asked for once. */
import { read } from "/net/account.js";

/** @type {Promise<import("/net/protocol.js").GameInfo[]> | null} */
let asked = null;

/** @returns {Promise<import("/net/protocol.js").GameInfo[]>} Rejected with `Refused`. */
export function games() {
  asked ??= read("/api/games").then((message) => message.games);
  asked.catch(() => (asked = null)); // asked again by whoever comes next
  return asked;
}
