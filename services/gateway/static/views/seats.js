// @ts-check
/** The players round the board: mark, name, who is away or a bot, place, and the running clock. */
import { fill, h, name, s } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { number, t } from "/page/i18n.js";
import { placeOf, turnFor } from "/games/parts/squares.js";
import { house } from "/net/house.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Sitter} Sitter */

const LOOK_MS = 250;
const SHORT_S = 5; // from here on the clock is shown as short

/** How a sitter is called wherever he is named. @param {Sitter} sitter */
export function called(sitter) {
  if (!sitter.bot) return sitter.nickname;
  return sitter.nickname ? t("seat.replaced", { who: sitter.nickname }) : t("seat.bot");
}

export class Seats {
  /** @param {string} me This player's id; empty for nobody. */
  constructor(me) {
    this.me = me;
    this.element = h("div", { class: "seats", dir: "ltr" });
    /** @type {MatchState | null} */
    this.state = null;
    this.clock = setInterval(() => this.tick(), LOOK_MS);
    this.ring = s("circle", { r: 15.5, pathLength: 100, class: "ring-run" });
    this.seconds = h("span", { class: "seconds numbers", "aria-hidden": "true" });
    this.waiting = h("span", { class: "numbers" });
  }

  end() {
    clearInterval(this.clock);
  }

  /**
   * @param {MatchState} state
   * @param {import("/games/game.js").Game} game
   */
  show(state, game) {
    this.state = state;
    const started = state.sitters.some((one) => one.seat !== null);
    const chairs = started
      ? state.sitters
      : Array.from({ length: state.size }, (_, at) => state.sitters[at] ?? null);
    this.element.dataset.size = String(chairs.length);
    this.element.classList.toggle("dealt", started);
    fill(this.element, chairs.map((one) => (one ? this.chair(one, state, game) : this.empty())));
    this.tick();
  }

  empty() {
    return h("div", { class: "seat vacant", dir: "auto" }, h("span", { class: "avatar" }), h("span", { class: "soft" }, t("seat.empty")));
  }

  /**
   * @param {Sitter} one
   * @param {MatchState} state
   * @param {import("/games/game.js").Game} game
   */
  chair(one, state, game) {
    const turn = one.seat !== null && state.step_seat === one.seat;
    const mine = this.me !== "" && one.player_id === this.me;
    const place = state.places.find((found) => found.seat === one.seat)?.place ?? (one.seat === null ? 0 : state.board?.places?.[one.seat]);
    const [own] = state.sitters.filter((found) => this.me !== "" && found.player_id === this.me);
    const corner = one.seat === null ? "" : `corner-${game.corners[placeOf(one.seat, turnFor(game.turns, own?.seat))]}`;
    const mark = one.seat === null ? icon("person") : game.seatMark(one.seat, state.options, state.board);
    const ring = s("svg", { viewBox: "-18 -18 36 36", class: "ring", "aria-hidden": "true" }, s("circle", { r: 15.5, class: "ring-all" }), turn && this.ring);
    return h(
      "div",
      { class: `seat ${corner} ${turn ? "turn" : ""} ${mine ? "mine" : ""} ${one.forfeited ? "gone" : ""}`, "data-seat": one.seat, dir: document.documentElement.dir },
      h("span", { class: "avatar" }, ring, mark),
      h(
        "span",
        { class: "seat-text", title: called(one) },
        one.nickname ? name(one.nickname) : h("span", { class: "name" }, t("seat.bot")),
        h("span", { class: "seat-tags" }, this.tags(one, mine, place ?? 0), turn && this.seconds),
        one.seat !== null && h("span", { class: "hidden-text" }, game.seatName(one.seat, state.options), turn ? `, ${t("seat.turn")}` : ""),
      ),
    );
  }

  /**
   * @param {Sitter} one
   * @param {boolean} mine
   * @param {number} place
   */
  tags(one, mine, place) {
    return [
      place > 0 && h("span", { class: "tag brass" }, t(`place.${place}`)),
      mine && h("span", { class: "tag good" }, t("seat.you")),
      one.bot && one.nickname && h("span", { class: "tag bot" }, t("seat.bot")),
      one.bot && !one.nickname && h("span", { class: "tag bot", "aria-hidden": "true" }, icon("robot")),
      one.forfeited && h("span", { class: "tag bad" }, t("seat.gone")),
      !one.bot && !one.forfeited && !one.present && h("span", { class: "tag bad away" }, icon("away"), t("seat.away")),
    ];
  }

  tick() {
    const state = this.state;
    if (!state || state.step_seat === null || state.step_ms === 0) return;
    const left = Math.max(0, (state.step_ms - house.now()) / 1000);
    const all = Number(state.options.step_seconds) || 15;
    this.ring.style.strokeDashoffset = String(100 - Math.min(100, (100 * left) / all));
    this.seconds.textContent = t("seat.seconds", { seconds: number(Math.ceil(Math.min(left, all))) });
    this.element.classList.toggle("short", left < SHORT_S);
  }
}
