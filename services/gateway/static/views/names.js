// @ts-check
/** A name for whoever does not want to think of one. */
import { number, t } from "/page/i18n.js";

export function guestName() {
  const some = 100 + Math.floor(Math.random() * 900);
  return t("welcome.guest").replace("#", number(some));
}
