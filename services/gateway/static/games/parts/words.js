// @ts-check
/** What events say that games with places and sides have alike. */
import { t } from "/page/i18n.js";

/**
 * Say how a match begins and ends, in the game's own words; null for any other event.
 * @param {string} game
 * @param {import("/net/protocol.js").Event} event
 * @param {(seat: number) => string} who
 */
export function frame(game, event, who) {
  const said = (/** @type {string} */ what, filling = {}) =>
    t(`${game}.said.${what}`, { who: who(event.seat), ...filling });
  const place = () => t(`place.${event.place}`);
  switch (event.type.slice(game.length + 1)) {
    case "start_decided":
      return said(`start_${event.why}`);
    case "seat_finished":
      return event.place ? said("finished", { place: place() }) : said("side_finished");
    case "seat_left":
      return said("off");
    case "seat_remained":
      return said("remained", { place: place() });
    case "side_won":
      return said("side_won", { who: event.seats.map(who).join(t("and")) });
    default:
      return null;
  }
}
