// @ts-check
/**
 * Who plays on this device. The account key stays here and is sent to the house alone; whoever has
 * it, or the recovery code, is this player.
 */
/** @typedef {import("/net/protocol.js").Account} Account */

const KEPT = "sahrat.account";
const TEXTS = ["player_id", "nickname", "token", "account_key", "recovery_code"];
const PATIENCE_MS = 15_000; // for an answer
const PATIENCE_LINES_MS = 60_000; // for all of a match, over a slow line

/** Something that the house refused, or could not do: `reason` is one of the protocol's. */
export class Refused extends Error {
  /**
   * @param {string} reason
   * @param {string} [detail] For developers.
   */
  constructor(reason, detail = "") {
    super(detail ? `${reason}: ${detail}` : reason);
    this.reason = reason;
  }
}

/**
 * Return the account that this device keeps, if any.
 * @returns {Account | null}
 */
export function kept() {
  try {
    const account = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    const whole = account && TEXTS.every((name) => typeof account[name] === "string") && Number.isFinite(account.expires_ms);
    return whole ? account : null; // a part of one signs nobody in
  } catch {
    return null; // nothing, or nothing that can be read: as good as none
  }
}

/** @param {Account} account */
function keep(account) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(account));
  } catch {
    // a browser that keeps nothing: the account lasts as long as this page
  }
  return account;
}

/** Let this device be nobody's again. */
export function forget() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // nothing was kept
  }
}

/**
 * Become a new player.
 * @param {string} nickname
 */
export async function become(nickname) {
  return keep(await post("/api/guests", { nickname }));
}

/**
 * Get a new token as the same player, perhaps under another name.
 * @param {Account} account
 * @param {string} [nickname]
 */
export async function renew(account, nickname = account.nickname) {
  const { player_id, account_key } = account;
  return keep(await post("/api/tokens", { nickname, player_id, account_key }));
}

/**
 * Come back as a player of another device.
 * @param {string} recovery_code As it stands on paper.
 * @param {string} nickname
 */
export async function recover(recovery_code, nickname) {
  return keep(await post("/api/tokens", { nickname, recovery_code }));
}

/**
 * Read something; with a token what is only this player's.
 * @param {string} path
 * @param {string} [token]
 */
export async function read(path, token) {
  return ask(path, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
}

/**
 * Read something that comes line by line. Rejected with `Refused`.
 * @param {string} path
 */
export async function readLines(path) {
  const [answer, text] = await heard(path, {}, PATIENCE_LINES_MS);
  if (!answer.ok) throw new Refused(answer.status === 503 ? "away" : "fault", `${answer.status}`);
  return text.split("\n").filter((line) => line !== "");
}

/**
 * @param {string} path
 * @param {object} body
 */
async function post(path, body) {
  return ask(path, { method: "POST", body: JSON.stringify(body) });
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<any>}
 */
async function ask(path, init) {
  const [answer, text] = await heard(path, init);
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Refused("fault", `${answer.status}`);
  }
  if (!answer.ok) throw new Refused(message.reason ?? "fault", message.detail);
  return message;
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @param {number} [patience] ms until all of it must be there.
 * @returns {Promise<[Response, string]>}
 */
async function heard(path, init, patience = PATIENCE_MS) {
  try {
    const answer = await fetch(path, { ...init, signal: AbortSignal.timeout(patience) });
    return [answer, await answer.text()];
  } catch {
    throw new Refused("no_line"); // or it broke, or stood still, before all of it was there
  }
}
