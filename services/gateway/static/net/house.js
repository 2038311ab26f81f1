// @ts-check
/**
 * The house as this device knows it: the player, his line, his coins, the lobby, and the matches
 * that he sees. Views listen to it and ask it; none of them knows the protocol.
 */
import { Followed } from "/match/followed.js";
import * as accounts from "/net/account.js";
import { number64 } from "/net/ids.js";
import { Line } from "/net/line.js";
import { Wishes } from "/net/wishes.js";

/** @typedef {import("/net/protocol.js").LogRecord} LogRecord */
/** @typedef {"line" | "wallet" | "lobby" | "mine" | "account" | "match"} Topic */

const LOOK_MS = 500;
const EARLY_MS = 3_600_000; // before its end a token is renewed
const GIFT_MS = 5_000; // so long the welcome may be on its way to a new player

class House {
  constructor() {
    this.account = accounts.kept();
    /** This house does not know the account that the device keeps. */
    this.unknown = false;
    /** @type {Line | null} */
    this.line = null;
    /** @type {import("/net/protocol.js").Wallet | null} */
    this.wallet = null;
    /** @type {import("/net/protocol.js").Lobby | null} */
    this.lobby = null;
    /** The live matches in which this player has a seat. @type {Set<string>} */
    this.mine = new Set();
    this.greeted = false;
    /** @type {Map<string, Followed>} */
    this.matches = new Map();
    this.wishes = new Wishes(
      () => this.now(),
      (message) => this.greeted && this.line?.send(message) === true,
    );
    /** @type {Map<Topic, Set<(about?: any) => void>>} */
    this.listeners = new Map();
    this.clock = { house: Date.now(), here: performance.now() };
    this.wantsLobby = false;
    /** When this player was made here, by `performance.now`. */
    this.newSince = -Infinity;
    setInterval(() => this.tend(), LOOK_MS);
  }

  // ---- listening

  /**
   * Call something whenever a topic changed; returns how to stop that.
   * @param {Topic} topic
   * @param {(about?: any) => void} listener
   */
  on(topic, listener) {
    const known = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, known.add(listener));
    return () => void known.delete(listener);
  }

  /**
   * @param {Topic} topic
   * @param {any} [about]
   */
  tell(topic, about) {
    for (const listener of [...(this.listeners.get(topic) ?? [])]) listener(about);
  }

  /** The house's time, ms since 1970: deadlines are in it. */
  now() {
    return this.clock.house + (performance.now() - this.clock.here);
  }

  get up() {
    return this.line?.up === true;
  }

  // ---- who plays

  /**
   * Become a new player, under this name, and call the house.
   * @param {string} nickname
   */
  async become(nickname) {
    this.signedIn(await accounts.become(nickname));
    this.newSince = performance.now();
  }

  /**
   * Come back as a player of another device.
   * @param {string} code
   * @param {string} nickname
   */
  async recover(code, nickname) {
    this.hangUp();
    this.signedIn(await accounts.recover(code, nickname));
  }

  /** @param {string} nickname */
  async rename(nickname) {
    if (!this.account) return;
    this.account = await accounts.renew(this.account, nickname);
    this.line?.send({ type: "sign_in", token: this.account.token });
    this.tell("account");
  }

  /** Let this device be nobody's. */
  forget() {
    this.hangUp();
    accounts.forget();
    this.account = null;
    this.tell("account");
  }

  /** @param {import("/net/protocol.js").Account} account */
  signedIn(account) {
    this.account = account;
    this.tell("account");
    this.call();
  }

  /** Connect, where somebody plays on this device. */
  call() {
    if (!this.account || this.line) return;
    this.line = new Line({
      token: async () => (await this.goodToken()) ?? "",
      refused: () => this.renew(),
      heard: (text) => this.heard(text),
      changed: (up) => {
        if (!up) this.greeted = false;
        this.tell("line");
      },
    });
    this.tell("line");
  }

  hangUp() {
    this.line?.close();
    this.line = null;
    this.unknown = false;
    this.wallet = null;
    this.greeted = false;
    this.matches.clear();
    this.mine.clear();
    this.wishes.drop();
  }

  async goodToken() {
    if (this.account && this.account.expires_ms - this.now() < EARLY_MS) await this.renew();
    return this.account?.token;
  }

  /** Get a new token by the key that this device keeps; a house with other keys knows it not. */
  async renew() {
    if (!this.account) return;
    try {
      this.account = await accounts.renew(this.account);
      this.unknown = false;
    } catch (why) {
      this.unknown = why instanceof accounts.Refused && why.reason === "not_signed_in";
      this.tell("line");
      throw why;
    }
  }

  /**
   * Read something that is only this player's.
   * @param {string} path
   */
  async readOwn(path) {
    return accounts.read(path, await this.goodToken());
  }

  // ---- what is asked

  /**
   * Sit down at any free table with these options.
   * @param {string} game
   * @param {import("/net/protocol.js").Options} options
   */
  playNow(game, options) {
    return this.wishes.ask({ type: "play_now", game, options, seat_number: number64() });
  }

  /**
   * Open a table and sit down.
   * @param {string} game
   * @param {import("/net/protocol.js").Options} options
   * @param {number} entry_coins 0: a free table.
   */
  open(game, options, entry_coins) {
    return this.wishes.ask({ type: "open", game, options, entry_coins, seat_number: number64() });
  }

  /** @param {string} match_id */
  join(match_id) {
    return this.wishes.ask({ type: "join", match_id, seat_number: number64() });
  }

  /**
   * What the player has at hand, in coins; null where that is not known. Who has just come in may
   * have to wait for his welcome, if it takes that to have enough.
   * @param {number} enough
   * @returns {Promise<number | null>}
   */
  async purse(enough) {
    const has = () => this.wallet?.available_coins ?? null;
    const until = this.newSince + GIFT_MS;
    while (this.account && (has() ?? 0) < enough && performance.now() < until) {
      await new Promise((done) => {
        const heard = this.on("wallet", () => done(heard()));
        setTimeout(() => done(heard()), until - performance.now());
      });
    }
    return has();
  }

  /** @param {string} match_id */
  leave(match_id) {
    return this.wishes.ask({ type: "leave", match_id });
  }

  /**
   * Do something in a game.
   * @param {string} match_id
   * @param {number} step
   * @param {object} intent
   */
  act(match_id, step, intent) {
    return this.wishes.ask({ type: "act", match_id, step, intent });
  }

  tend() {
    this.wishes.tend();
    if (this.up && this.account && this.account.expires_ms - this.now() < EARLY_MS) {
      void this.goodToken().then(
        (token) => this.line?.send({ type: "sign_in", token }),
        () => undefined, // the next look asks again, and there is an hour left
      );
    }
  }

  /**
   * See a match from now on; it comes as soon as there is a line.
   * @param {string} matchId
   */
  watch(matchId) {
    let match = this.matches.get(matchId);
    if (!match) {
      match = new Followed(matchId, this.account?.player_id ?? "");
      this.matches.set(matchId, match);
      this.watchNow(match);
    }
    return match;
  }

  /** @param {string} matchId */
  unwatch(matchId) {
    if (this.mine.has(matchId)) return; // that would be a lost line of the own seat
    if (this.matches.delete(matchId)) this.line?.send({ type: "unwatch", match_id: matchId });
  }

  /** @param {Followed} match */
  watchNow(match) {
    if (this.greeted) this.line?.send({ type: "watch", match_id: match.id, seq: match.seq });
  }

  /** @param {boolean} on */
  watchLobby(on) {
    this.wantsLobby = on;
    if (this.greeted) this.line?.send({ type: "lobby", on });
  }

  // ---- what is heard

  /** @param {string} text */
  heard(text) {
    const message = JSON.parse(text);
    switch (message.type) {
      case undefined:
        return this.record(text, message);
      case "signed_in":
        return this.welcomed(message);
      case "pong":
        return this.setClock(message.time_ms);
      case "wallet":
        if (message.entry < (this.wallet?.entry ?? 0)) return undefined;
        this.wallet = message;
        return this.tell("wallet");
      case "lobby":
        this.lobby = message;
        return this.tell("lobby");
      case "watching":
        return this.watching(message);
      case "ways":
        return this.watch(message.match_id).told(message);
      case "snapshot":
        return this.snapshot(message);
      case "accepted":
        return this.wishes.settle(message.intent_id, message.match_id);
      case "refused":
        return this.refused(message);
      case "unwatched":
      case "taken_over":
        return this.setAside(message);
      default:
        return undefined; // what newer gateways say besides
    }
  }

  /** @param {number} ms */
  setClock(ms) {
    this.clock = { house: ms, here: performance.now() };
  }

  /** @param {any} message */
  welcomed(message) {
    this.setClock(message.time_ms);
    const again = this.greeted;
    this.greeted = true;
    this.mine = new Set(message.matches);
    if (this.account && this.account.nickname !== message.nickname) {
      this.account = { ...this.account, nickname: message.nickname };
      this.tell("account");
    }
    this.line?.greeted();
    if (!again) {
      for (const match of this.matches.values()) if (!match.over) this.watchNow(match);
      for (const id of this.mine) this.watch(id); // whatever is looked at: else he would be away there
      if (this.wantsLobby) this.line?.send({ type: "lobby", on: true });
      this.wishes.repeat();
    }
    this.tell("mine");
  }

  /** @param {any} message */
  watching(message) {
    const match = this.watch(message.match_id);
    match.watching(message.seq, message.line !== null);
    this.tell("match", match);
  }

  /** @param {any} message */
  snapshot(message) {
    const match = this.watch(message.match_id);
    match.load(message);
    this.note(match);
    this.tell("match", match);
  }

  /**
   * @param {string} text
   * @param {LogRecord} record
   */
  record(text, record) {
    const match = this.watch(record.match_id);
    const missing = match.take(text, record);
    if (missing) this.watchNow(match);
    this.note(match);
    this.wishes.settle(record.caused_by.intent_id, record.match_id);
    this.tell("match", match);
  }

  /** @param {Followed} match */
  note(match) {
    const sits = match.me !== null && !match.over && !match.me.forfeited;
    if (sits === this.mine.has(match.id)) return;
    sits ? this.mine.add(match.id) : this.mine.delete(match.id);
    this.tell("mine");
  }

  /** @param {any} message */
  refused(message) {
    if (message.intent_id) {
      const unheld = this.wishes.refused(message);
      if (unheld) this.watchNow(this.watch(unheld));
      return;
    }
    const match = this.matches.get(message.match_id);
    if (!match) return;
    match.unseen(message.reason);
    this.tell("match", match);
  }

  /** @param {any} message */
  setAside(message) {
    const match = this.matches.get(message.match_id);
    if (!match) return;
    if (message.type === "taken_over") match.takenOver = true;
    else if (!match.over) match.unseen(message.reason);
    this.tell("match", match);
  }
}

export const house = new House();
