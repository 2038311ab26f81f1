// @ts-check
/** What the events of Pachisi say in words. */
import { t } from "/page/i18n.js";
import { frame } from "/games/parts/words.js";
import { CHARKONI, HOME, RETURN, TIP } from "/games/pachisi/board.js";

/** @typedef {import("/net/protocol.js").Event} Event */

/**
 * Where a piece stands, in words.
 * @param {number} progress
 */
export function square(progress) {
  if (progress === CHARKONI) return t("pachisi.square.charkoni");
  if (progress === HOME) return t("pachisi.square.home");
  if (progress < TIP) return t("pachisi.square.out", { number: progress });
  if (progress > RETURN) return t("pachisi.square.back", { number: progress - RETURN });
  return t("pachisi.square.track", { number: progress });
}

/**
 * An open throw in a few words: its value, or what it is good for.
 * @param {{part: string, value: number}} open
 */
export function part({ part: which, value }) {
  return t(`pachisi.part.${which}`, { value });
}

/**
 * @param {Event} event
 * @param {(seat: number) => string} who
 */
export function say(event, who) {
  const said = { who: event.seat === undefined ? "" : who(event.seat) };
  switch (event.type) {
    case "pachisi.start_thrown":
      return t("pachisi.said.start_thrown", { ...said, value: event.value });
    case "pachisi.thrown":
      return thrown(event, said);
    case "pachisi.throws_cancelled":
      return t("pachisi.said.cancelled", said);
    case "pachisi.used":
      return used(event, who);
    case "pachisi.declined":
      return t("pachisi.said.declined", said);
    case "pachisi.lapsed":
      return t(`pachisi.said.lapsed_${event.why}`, said);
    case "pachisi.captured":
      return t("pachisi.said.captured", { ...said, captor: who(event.captor) });
    case "pachisi.capture_voided":
      return t("pachisi.said.voided", { ...said, victim: who(event.victim) });
    case "pachisi.throws_again":
      return t(`pachisi.said.again_${event.why}`, said);
    case "pachisi.turn_passed":
      return event.why === "left" ? t("pachisi.said.next", said) : null;
    default:
      return frame("pachisi", event, who);
  }
}

/**
 * @param {Event} event
 * @param {{who: string}} said
 */
function thrown(event, said) {
  const { value, mouths, opened } = event;
  const line = t("pachisi.said.thrown", { ...said, value, mouths });
  if (opened.length === 0) return `${line} (${t("pachisi.said.void")})`;
  const pyada = opened.some((/** @type {{part: string}} */ open) => open.part === "pyada");
  return pyada ? `${line} (${t("pachisi.said.pyada")})` : line;
}

/**
 * @param {Event} event
 * @param {(seat: number) => string} who
 */
function used(event, who) {
  const whose = who(event.mover);
  const moves = event.moves.map((/** @type {{piece: number, start: number, progress: number}} */ one) => {
    const [from, to] = [square(one.start), square(one.progress)];
    const what = one.start === CHARKONI ? "entered" : "moved";
    return t(`pachisi.said.${what}`, { who: whose, piece: one.piece + 1, from, to });
  });
  const line = moves.join(". ");
  return event.why === "clock" ? `${line} (${t("pachisi.clock")})` : line;
}
