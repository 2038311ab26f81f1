// @ts-check
/**
 * The line to the house: one socket that comes back by itself. It says at once when it is lost:
 * when the browser says so, when the socket closes, or when nothing is heard for a few seconds.
 */

const FIRST_MS = 500; // before the first new attempt, then twice as long each time
const LONGEST_MS = 10_000;
const QUIET_MS = 2_500; // without a word the line is asked whether it is there
const SILENT_MS = 6_000; // without an answer it is not
const LOOK_MS = 500;
const OPENING_MS = 8_000;
const SILENT_TRIES = 3;
export const BAD_TOKEN = 4401;

/**
 * @typedef {object} Hooks
 * @property {() => Promise<string>} token A token that is good, for a new socket.
 * @property {() => Promise<void>} refused The last token was no good: have another for the next.
 * @property {(text: string) => void} heard A message came.
 * @property {(up: boolean) => void} changed The line is there (signed in), or lost, or not there at another attempt.
 */

export class Line {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.up = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.closed = false;
    this.tries = 0;
    this.heardAt = 0;
    this.openedAt = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
    this.looking = setInterval(() => this.look(), LOOK_MS);
    this.offline = () => this.lose();
    this.online = () => this.soon(0);
    this.seen = () => {
      if (!document.hidden) this.up ? this.look() : this.soon(0);
    };
    addEventListener("offline", this.offline);
    addEventListener("online", this.online);
    document.addEventListener("visibilitychange", this.seen);
    void this.open();
  }

  /** End it for good. */
  close() {
    this.closed = true;
    clearInterval(this.looking);
    clearTimeout(this.again);
    removeEventListener("offline", this.offline);
    removeEventListener("online", this.online);
    document.removeEventListener("visibilitychange", this.seen);
    this.socket?.close();
  }

  /**
   * Send a message; false where there is no line.
   * @param {object} message
   */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** To be called when the house has greeted this player. */
  greeted() {
    this.tries = 0;
    this.tell(true);
  }

  async open() {
    let token;
    try {
      token = await this.hooks.token();
    } catch {
      this.soon();
      return;
    }
    if (this.closed || this.socket) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/play`);
    this.socket = socket;
    this.openedAt = this.heardAt = performance.now();
    socket.onopen = () => this.send({ type: "sign_in", token });
    socket.onmessage = (event) => {
      if (this.socket !== socket) return;
      this.heardAt = performance.now();
      this.hooks.heard(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) void this.lost(event.code);
    };
  }

  /** @param {number} code */
  async lost(code) {
    this.socket = null;
    this.tell(false);
    if (this.closed) return;
    if (code === BAD_TOKEN) {
      try {
        await this.hooks.refused();
      } catch {
        // the house does not answer, or will have none of it: the next attempt tells again
      }
    }
    this.soon();
  }

  /** Give this socket up now, whatever it would still say. */
  lose() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.tell(false);
    this.soon();
  }

  /** @param {number} [ms] */
  soon(ms) {
    if (this.closed || this.socket) return;
    clearTimeout(this.again);
    const pause = Math.min(FIRST_MS * 2 ** this.tries, LONGEST_MS) * (0.75 + Math.random() / 2);
    this.again = setTimeout(() => void this.open(), ms ?? pause);
    this.tries = Math.min(this.tries + 1, 6);
    this.hooks.changed(false);
  }

  /** Whether the house was called in vain so often that one should say so. */
  get silent() {
    return this.tries >= SILENT_TRIES;
  }

  look() {
    if (!this.socket) return;
    const now = performance.now();
    if (!this.up) {
      if (now - this.openedAt > OPENING_MS) this.lose();
      return;
    }
    const quiet = now - this.heardAt;
    if (quiet > SILENT_MS) this.lose();
    else if (quiet > QUIET_MS) this.send({ type: "ping" });
  }

  /** @param {boolean} up */
  tell(up) {
    if (this.up === up) return;
    this.up = up;
    this.hooks.changed(up);
  }
}
