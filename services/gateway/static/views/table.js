// @ts-check
/** A table, live: the board, the players, what the thumb needs, and what happened. */
import { game } from "/games/all.js";
import { Earlier } from "/match/earlier.js";
import { house } from "/net/house.js";
import { read } from "/net/account.js";
import { fill, h, refill } from "/page/dom.js";
import { ask, reason, refusal, toast } from "/page/dialog.js";
import { icon } from "/page/icons.js";
import { t } from "/page/i18n.js";
import * as sound from "/page/sound.js";
import { helpFor } from "/views/help.js";
import { Moves } from "/views/moves.js";
import { another } from "/views/another.js";
import { agrees, entryTag, promises } from "/views/promises.js";
import { pastMatch, result } from "/views/result.js";
import { Seats } from "/views/seats.js";
import { guestName } from "/views/names.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/match/followed.js").Step} Step */

const BEHIND = 3; // records that wait to be shown; with more of them motion is left out
const LOOK_MS = 500;
const STRANGER_MS = 2_000; // whoever has no line asks so often how it stands
const RACES = ["stale_step", "not_your_turn", "not_playing", "seat_is_bot", "late", "no_line"];

/** @type {import("/page/app.js").View} */
export function table(main, matchId) {
  const view = new Table(main, matchId);
  return () => view.end();
}

class Table {
  /**
   * @param {HTMLElement} main
   * @param {string} matchId
   */
  constructor(main, matchId) {
    this.main = main;
    this.match = house.watch(matchId);
    this.moves = new Moves();
    const before = (/** @type {Step} */ step) => this.moves.add(step, this.match.game);
    this.earlier = new Earlier(this.match, before, () => this.moves.lacks());
    this.seats = new Seats(this.match.player);
    this.notes = h("div", { class: "notes" });
    this.bar = h("div", { class: "table-bar row" });
    this.under = h("div", { class: "under" });
    this.stage = h("div", { class: "stage" });
    /** @type {import("/games/game.js").View | null} */
    this.view = null;
    this.begun = this.match.steps.length; // those before were seen, or are not new any more
    this.shown = 0; // records of `match.steps` that were handed on
    this.drawn = 0; // the number of the record that is drawn
    /** `before`: this view did not see it come. @type {(Step & {before: boolean})[]} */
    this.queue = [];
    this.playing = false;
    this.acting = 0; // the step that the player has acted on and that is not answered yet
    this.wasTurn = 0;
    this.asked = false;
    this.ended = false; // the result was shown
    this.left = false; // another view is shown now
    fill(main, h("p", { class: "loading" }, t("loading")));
    /** @type {(() => void)[]} */
    this.ends = [
      house.on("match", (match) => match === this.match && this.changed()),
      house.on("line", () => this.offer()),
      house.on("mine", () => this.drawAround()),
    ];
    const waiting = setInterval(() => this.match.state?.phase === "open" && this.offer(), LOOK_MS);
    this.ends.push(() => clearInterval(waiting));
    this.changed();
    if (!house.account) {
      void this.readPast();
      const asking = setInterval(() => void this.lookAgain(), STRANGER_MS);
      this.ends.push(() => clearInterval(asking));
    }
  }

  end() {
    this.left = true;
    for (const end of this.ends) end();
    this.seats.end();
    if (!this.match.me) house.unwatch(this.match.id);
  }

  // ---- what the house says

  changed() {
    const { state, gone, steps, game: known } = this.match;
    if (gone !== null && (!state || !this.match.over)) {
      void this.readPast();
      return;
    }
    if (!state) return;
    if (!known) {
      const text = t("table.other_game", { game: state.rules });
      fill(this.main, h("div", { class: "narrow" }, h("p", { class: "notice" }, text), h("a", { class: "button", href: "#/" }, t("help.home"))));
      return;
    }
    if (!this.view) this.begin(state, known);
    if (this.shown > steps.length) this.shown = 0; // begun anew, from what the house has
    for (const [at, came] of [...steps.entries()].slice(this.shown)) {
      const before = at < this.begun;
      const step = { ...came, old: came.old || before, before };
      this.moves.add(step, known);
      this.queue.push(step);
    }
    if (this.shown === steps.length && this.drawn !== this.match.seq && this.queue.length === 0) {
      this.draw(state, this.match.seq); // a snapshot came
    }
    this.shown = steps.length;
    void this.earlier.read();
    void this.play();
    this.offer();
    this.drawAround();
  }

  /**
   * @param {MatchState} state
   * @param {import("/games/game.js").Game} known
   */
  begin(state, known) {
    this.view = known.view({ act: (intent) => this.act(intent), sound: sound.play });
    fill(this.stage, this.seats.element, this.view.board);
    fill(
      this.main,
      h("h1", { class: "hidden-text" }, t(`game.${known.name}`)),
      h(
        "div",
        { class: "table" },
        h("div", { class: "table-main" }, this.notes, this.stage),
        h("div", { class: "table-side" }, this.view.controls, this.under, this.bar, this.moves.element),
      ),
      this.moves.live,
    );
    this.view.show(state);
    this.seats.show(state, known);
  }

  /** Show what has come, one record after the other. */
  async play() {
    if (this.playing || !this.view) return;
    this.playing = true;
    for (let step = this.queue.shift(); step; step = this.queue.shift()) {
      const moves = !step.old && this.queue.length < BEHIND && !document.hidden;
      if (this.match.game) this.seats.show(step.state, this.match.game);
      if (moves) await this.view.play(step.record);
      else if (!step.before) this.view.pass?.(step.record);
      this.draw(step.state, step.record.seq);
      await null; // whoever watches the board sees it after every record
    }
    this.playing = false;
  }

  /**
   * @param {MatchState} state
   * @param {number} seq
   */
  draw(state, seq) {
    this.view?.show(state);
    if (this.match.game) this.seats.show(state, this.match.game);
    this.drawn = seq;
    this.view?.mark(seq);
  }

  async readPast() {
    if (this.asked) return;
    this.asked = true;
    try {
      await this.readNow();
    } catch (why) {
      if (this.left) return;
      const text = why instanceof Error && "reason" in why && why.reason === "not_found" ? t("table.unknown") : reason(why);
      fill(this.main, h("div", { class: "narrow" }, h("p", { class: "notice bad", role: "alert" }, text), h("a", { class: "button", href: "#/" }, t("help.home"))));
    }
  }

  /** Ask without a line, and show it: what became of it, or how it stands. Rejected with `Refused`. */
  async readNow() {
    const now = await read(`/api/matches/${this.match.id}`);
    if (this.left) return; // or it would be drawn over what is shown instead
    if (now.type === "match") fill(this.main, pastMatch(now, game(now.rules)));
    else if (!this.match.state || now.seq > this.match.seq) {
      this.match.load(now);
      this.changed();
    }
  }

  /** Ask how it stands, for whoever has no line; what he saw last stays until that is known. */
  async lookAgain() {
    if (house.account || document.hidden || !this.match.state || this.match.over) return;
    try {
      await this.readNow();
    } catch {
      // asked again in a moment
    }
  }

  /** Where this match is checked: against the last record that this device saw itself. */
  get check() {
    return `/verify#${this.match.id}&head=${this.match.digest}`;
  }

  // ---- what the player does

  /** Let the player act where he may, by the newest record: motion is never in his way. */
  offer() {
    const { state, me, myTurn } = this.match;
    if (!state || !this.view) return;
    const may = myTurn && house.up && this.acting !== state.step;
    if (may && this.wasTurn !== state.step) {
      this.wasTurn = state.step;
      sound.play("turn");
      this.moves.announce(t("table.your_turn"));
    }
    this.view.offer(may ? state : null, me?.seat ?? null, may ? this.match.ways : []);
    if (!may) this.view.wait(this.waits(state));
    this.main.classList.toggle("my-turn", may);
  }

  /** @param {MatchState} state */
  waits(state) {
    if (this.match.over) return t("table.over");
    if (!house.up && house.account) return t("table.no_line");
    if (state.phase === "open") return this.waitsForPlayers(state);
    if (state.phase === "funding") return t("table.funding");
    if (this.acting === state.step) return t("table.sent");
    const next = state.sitters.find((one) => one.seat === state.step_seat);
    if (!next) return "";
    return next.bot ? t("table.bot_turn") : t("table.turn", { who: next.nickname });
  }

  /** @param {MatchState} state */
  waitsForPlayers(state) {
    const text = t("table.waiting", { count: state.size - state.sitters.length });
    const left = Math.ceil((state.fill_ms - house.now()) / 1000);
    return state.fill_ms > 0 && left > 0 ? `${text} ${t("table.bots_in", { seconds: left })}` : text;
  }

  /** @param {{type: string, [field: string]: any}} intent */
  async act(intent) {
    const step = this.match.state?.step ?? 0;
    this.acting = step;
    this.offer();
    try {
      await house.act(this.match.id, step, intent);
    } catch (why) {
      const named = why instanceof Error && "reason" in why ? String(why.reason) : "fault";
      if (!RACES.includes(named)) refusal(why);
    }
    if (this.acting === step) this.acting = 0;
    this.offer();
  }

  async leave() {
    const { state } = this.match;
    if (!state) return;
    const playing = state.phase === "playing";
    const costs = playing && state.entry_coins > 0;
    const told = costs ? "leave_costs" : playing ? "leave_bot" : "leave_open";
    const body = [h("p", null, t(`table.${told}`, { coins: state.entry_coins }))];
    const yes = t(costs ? "table.leave_yes" : "table.leave");
    if (!(await ask({ title: t("table.leave_title"), body, yes, no: t("table.stay"), bad: true }))) return;
    await this.wish(house.leave(this.match.id));
    if (!this.match.me && ["open", "funding", "closed"].includes(this.match.state?.phase ?? "")) location.hash = "#/";
  }

  async join() {
    const { state } = this.match;
    if (!state || !(await agrees(state.phase === "open" ? state.entry_coins : 0, state.options))) return;
    await this.wish(house.join(this.match.id));
  }

  async again() {
    const { state } = this.match;
    if (!state || !(await agrees(state.entry_coins, state.options))) return;
    try {
      location.hash = `#/table/${await another(state)}`;
    } catch (why) {
      refusal(why);
    }
  }

  /** @param {Promise<string>} asked */
  async wish(asked) {
    try {
      await asked;
    } catch (why) {
      refusal(why);
    }
  }

  /** Whoever came by a link sees the match live, and may sit down, once he has a name. */
  async become() {
    try {
      await house.become(guestName());
      location.reload();
    } catch (why) {
      refusal(why);
    }
  }

  async share() {
    const link = `${location.origin}/#/table/${this.match.id}`;
    try {
      if (navigator.share) await navigator.share({ url: link });
      else await navigator.clipboard.writeText(link);
      if (!navigator.share) toast(t("table.copied"));
    } catch {
      toast(link); // plain http has no clipboard: the link is shown
    }
  }

  /** How it ended is seen at once, also where the board fills the screen. */
  showEnd() {
    this.ended = true;
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    const end = this.under.querySelector(".result");
    end?.scrollIntoView({ block: "nearest", behavior });
    if (end instanceof HTMLElement && this.free()) end.focus({ preventScroll: true });
  }

  /** Whether the focus is nowhere, or where nothing is to be done any more. */
  free() {
    const at = document.activeElement;
    return at === null || at === document.body || at === this.main || this.view?.controls.contains(at) === true;
  }

  // ---- around the board

  drawAround() {
    const { state, me, over, game: known } = this.match;
    if (!state || !known) return;
    const seated = me !== null && !me.forfeited;
    const button = (/** @type {string} */ what, /** @type {keyof typeof import("/page/icons.js").PATHS} */ sign, /** @type {() => void} */ press) =>
      h("button", { type: "button", class: "button", id: `do-${what}`, "data-do": what, onclick: press }, icon(sign), t(`table.${what}`));
    refill(
      this.bar,
      entryTag(state.entry_coins),
      me === null && h("span", { class: "tag" }, t("table.watching")),
      button("rules", "help", () => void helpFor(state)),
      button(sound.on() ? "mute" : "sound", sound.on() ? "sound" : "mute", () => {
        sound.toggle();
        this.drawAround();
      }),
      state.phase === "open" && button("share", "person", () => void this.share()),
      seated && !over && !(me.bot && me.left) && button("leave", "leave", () => void this.leave()),
    );
    const joins = state.phase === "open" && me === null && state.sitters.length < state.size && house.account;
    const returns = state.phase === "playing" && me !== null && me.bot;
    refill(
      this.under,
      joins && h("button", { type: "button", class: "button main large wide", id: "do-join", "data-do": "join", onclick: () => void this.join() }, t("lobby.join")),
      joins && promises(state.entry_coins, state.options),
      returns && h("div", { class: "notice stack" }, t("table.bot_plays"), h("button", { type: "button", class: "button main", id: "do-return", "data-do": "return", onclick: () => void this.join() }, t("table.return")), h("a", { class: "button", id: "do-home", href: "#/" }, t("help.home"))),
      over && result(this.check, state, me, known, () => void this.again()),
    );
    this.main.classList.toggle("over", over);
    if (over && !this.ended) this.showEnd();
    refill(
      this.notes,
      this.match.doubt !== null && h("p", { class: "notice bad", role: "alert", "data-do": "doubt" }, t("table.doubt", { number: this.match.doubt }), " ", h("a", { href: this.check }, t("table.verify"))),
      this.match.takenOver && !over && h("div", { class: "notice row spread" }, t("table.taken_over"), h("button", { type: "button", class: "button", onclick: () => house.watchNow(this.match) }, t("table.take_back"))),
      this.match.gone === "parked" && h("p", { class: "notice bad" }, t("table.damaged")),
      !house.account && !over && h("div", { class: "notice row spread" }, t("table.stranger"), h("button", { type: "button", class: "button main", id: "do-guest", "data-do": "guest", onclick: () => void this.become() }, t("table.come_in", { who: guestName() }))),
    );
  }
}
