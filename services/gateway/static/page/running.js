// @ts-check
/** The match of this player's that is on, kept for pages that have no line of their own. */
import { h } from "/page/dom.js";
import { t } from "/page/i18n.js";

const KEPT = "sahrat.running";

/** @param {string} matchId Empty: none is on. */
export function keepRunning(matchId) {
  try {
    sessionStorage.setItem(KEPT, matchId);
  } catch {
    // a browser that keeps nothing: such pages show no way back
  }
}

/** The match that was on when the house was last heard here; empty for none. */
export function running() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/**
 * The way back to a match.
 * @param {string} matchId
 * @param {...import("/page/dom.js").Child} more What is known of it.
 */
export function wayTo(matchId, ...more) {
  return h("a", { href: `/#/table/${matchId}`, "data-do": "back" }, t("back.to"), more);
}
