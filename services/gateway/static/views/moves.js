// @ts-check
/** What happened, in words: the list of moves, and what a screen reader hears. */
import { h } from "/page/dom.js";
import { t } from "/page/i18n.js";
import { stopped } from "/views/endings.js";
import { called } from "/views/seats.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Event} Event */
/** @typedef {import("/match/followed.js").Step} Step */

const KEPT = 200; // lines

/**
 * What a record says, a line for each event that people want to hear of.
 * @param {Step} step
 * @returns {string[]}
 */
export function words({ record, state }, /** @type {import("/games/game.js").Game | null} */ game) {
  const who = (/** @type {number} */ seat) => {
    const sitter = state.sitters.find((one) => one.seat === seat);
    return sitter ? called(sitter) : (game?.seatName(seat, {}) ?? "");
  };
  return record.events
    .map((event) => said(event, state, who) ?? game?.say(event, who) ?? null)
    .filter((line) => line !== null);
}

/**
 * What an event around the game says.
 * @param {Event} event
 * @param {MatchState} state
 * @param {(seat: number) => string} who
 * @returns {string | null}
 */
function said(event, state, who) {
  const sitter = state.sitters.find((one) => one.player_id === event.player_id);
  const name = { who: sitter?.nickname ?? "" };
  switch (event.type) {
    case "seat.taken":
      return event.bot ? t("said.bot_sat") : t("said.sat", { who: event.nickname });
    case "seat.freed":
      return t(`said.freed_${event.why}`);
    case "funding.began":
      return t("said.funding");
    case "funding.failed":
      return t("said.funding_failed");
    case "match.started":
      return t("said.started");
    case "step.timed_out":
      return t("said.timed_out", { who: who(event.seat) });
    case "player.away":
      return t("said.away", name);
    case "player.present":
      return event.returned ? t("said.returned", name) : t("said.present", name);
    case "player.left":
      return t(event.bot ? "said.left_bot" : "said.left", name);
    case "match.resumed":
      return t("said.resumed");
    case "match.ended":
      return t("said.ended");
    case "match.stopped":
      return `${t("said.stopped")}. ${stopped(/** @type {any} */ (event))}`;
    case "table.closed":
      return `${t("said.closed")}. ${t(`closed.${event.why}`)}`;
    default:
      return null;
  }
}

export class Moves {
  constructor() {
    this.list = h("ol", { class: "moves plain", tabindex: 0, "aria-label": t("table.moves") });
    this.gap = h("p", { class: "soft small", hidden: true }, t("table.moves_away"));
    this.element = h("section", { class: "card moves-card", hidden: true }, h("h2", null, t("table.moves")), this.list, this.gap);
    this.live = h("div", { class: "hidden-text", role: "log", "aria-live": "polite", "data-do": "live" });
  }

  /**
   * @param {Step} step
   * @param {import("/games/game.js").Game | null} game
   */
  add(step, game) {
    const lines = words(step, game);
    if (lines.length === 0) return;
    this.element.hidden = false;
    const { seq } = step.record;
    const older = [...this.list.children].find((one) => Number(/** @type {HTMLElement} */ (one).dataset.seq) < seq);
    const said = [...lines].reverse().map((line) => h("span", null, line)); // the newest on top
    this.list.insertBefore(h("li", { "data-seq": seq }, said), older ?? null);
    while (this.list.childElementCount > KEPT) this.list.lastElementChild?.remove();
    if (step.old) return;
    this.live.replaceChildren(h("p", null, lines.join(". ")));
  }

  /** Say that what happened before could not be read. */
  lacks() {
    this.element.hidden = false;
    this.gap.hidden = false;
  }

  /** Say something that is no move. @param {string} text */
  announce(text) {
    this.live.append(h("p", null, text));
  }
}
