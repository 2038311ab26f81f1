// @ts-check
/** What the events of Ludo say in words. */
import { t } from "/page/i18n.js";
import { frame } from "/games/parts/words.js";

/** @typedef {import("/net/protocol.js").Event} Event */

const [BASE, START, COLUMN, HOME] = [-1, 0, 51, 56];

/**
 * Where a pawn stands, in words.
 * @param {number} progress
 */
export function square(progress) {
  if (progress === BASE) return t("ludo.square.base");
  if (progress === START) return t("ludo.square.start");
  if (progress === HOME) return t("ludo.square.home");
  if (progress >= COLUMN) return t("ludo.square.column", { number: progress - COLUMN + 1 });
  return t("ludo.square.track", { number: progress });
}

/**
 * @param {Event} event
 * @param {(seat: number) => string} who
 */
export function say(event, who) {
  const said = { who: event.seat === undefined ? "" : who(event.seat) };
  switch (event.type) {
    case "ludo.start_rolled":
      return t("ludo.said.start_rolled", { ...said, value: event.value });
    case "ludo.rolled": {
      const kind = event.movable.length === 0 ? "none" : "some";
      return t(`ludo.said.rolled_${kind}`, { ...said, value: event.value });
    }
    case "ludo.roll_declined":
      return t("ludo.said.declined", { ...said, value: event.value });
    case "ludo.pawn_moved": {
      const [from, to] = [square(event.start), square(event.progress)];
      const moved = t("ludo.said.moved", { ...said, pawn: event.pawn + 1, from, to });
      return event.why === "chosen" ? moved : `${moved} (${t(`ludo.why.${event.why}`)})`;
    }
    case "ludo.pawn_captured":
      return t("ludo.said.captured", { ...said, captor: who(event.captor) });
    case "ludo.turn_undone":
      return t("ludo.said.undone", said);
    case "ludo.rolls_again": {
      const why = event.why.map((/** @type {string} */ one) => t(`ludo.again.${one}`));
      return t("ludo.said.again", { ...said, why: why.join(t("and")) });
    }
    case "ludo.turn_passed":
      return ["third_six", "left"].includes(event.why) ? t(`ludo.said.${event.why}`, said) : null;
    default:
      return frame("ludo", event, who);
  }
}
