// @ts-check
/** A name for whoever does not want to think of one; what was offered, or typed, stays. */
import { number, t } from "/page/i18n.js";

const KEPT = "sahrat.guest";
const some = 100 + Math.floor(Math.random() * 900);
let typed = "";

/** The name under which this device would come in. */
export function guestName() {
  return typed || t("welcome.guest").replace("#", number(offered()));
}

/** Keep a name that somebody typed. @param {string} nickname */
export function keepName(nickname) {
  typed = nickname.trim();
}

/** The number of the name that is offered: the same wherever it is, for as long as the page is open. */
function offered() {
  try {
    const kept = Number(sessionStorage.getItem(KEPT));
    if (kept > 0) return kept;
    sessionStorage.setItem(KEPT, String(some));
  } catch {
    // a browser that keeps nothing: the name lasts until the page is loaded anew
  }
  return some;
}
