// @ts-check
/** What the events of Carrom say in words. */
import { t } from "/page/i18n.js";
import { kind } from "/games/carrom/board.js";

/** @typedef {import("/net/protocol.js").Event} Event */

const COVERED = "C"; // what a shot was judged in, with the queen covered before

/**
 * @param {Event} event
 * @param {(seat: number) => string} who
 */
export function say(event, who) {
  const said = { who: event.seat === undefined ? "" : who(event.seat) };
  switch (event.type) {
    case "carrom.board_laid":
      return t("carrom.said.laid", { who: who(event.breaker), number: event.board });
    case "carrom.striker_shot":
      return event.why === "clock" ? `${t("carrom.said.shot", said)} (${t("carrom.clock")})` : t("carrom.said.shot", said);
    case "carrom.striker_blocked":
      return t("carrom.said.blocked", said);
    case "carrom.discs_rested":
      return fell(event.pocketed);
    case "carrom.shot_judged":
      return judged(event);
    case "carrom.debts_paid":
      return t("carrom.said.debts", { count: event.returned.length });
    case "carrom.shoots_again":
      return t(event.why === "untouched" ? "carrom.said.untouched" : "carrom.said.again", said);
    case "carrom.turn_passed":
      return t("carrom.said.next", said);
    case "carrom.queen_returned":
      return t("carrom.said.queen");
    case "carrom.match_won": {
      const [one, other] = event.score;
      return t("carrom.said.match", { who: event.seats.map(who).join(t("and")), one, other });
    }
    case "carrom.points_won": {
      const all = event.ranks.map((/** @type {Event} */ one) => t("carrom.points", { seat: who(one.seat), points: one.points }));
      return t("carrom.said.points", { all: all.join(t("and")) });
    }
    case "carrom.seat_left":
      return t("carrom.said.left", said);
    case "carrom.board_won": {
      const won = t("carrom.said.won", { colour: t(`carrom.colour.${event.colour}`) });
      return event.why === "last_coin" ? `${won} (${t("carrom.last_coin")})` : won;
    }
    default:
      return null;
  }
}

/** @param {number[]} discs */
function fell(discs) {
  if (discs.length === 0) return t("carrom.said.nothing");
  const some = ["white", "black", "queen", "striker"].map((what) => {
    const count = discs.filter((disc) => kind(disc) === what).length;
    return count > 0 ? t(`carrom.fell.${what}`, { count }) : "";
  });
  return t("carrom.said.fell", { what: some.filter(Boolean).join(t("and")) });
}

/** @param {Event} event */
function judged(event) {
  const lines = [
    event.foul ? t(`carrom.foul.${event.foul_reason}`) : "",
    event.returned.length > 0 ? t("carrom.said.returned", { count: event.returned.length }) : "",
    event.queen === "held" ? t("carrom.said.held") : "",
    event.queen === "pending" ? t("carrom.said.pending") : "",
    event.queen === "covered" && event.before !== COVERED ? t("carrom.said.covered") : "",
  ].filter(Boolean);
  return lines.length > 0 ? lines.join(". ") : null;
}
