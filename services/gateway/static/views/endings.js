// @ts-check
/** Why a match did not end by its rules, in words. */
import { t } from "/page/i18n.js";

/** @typedef {{reason: string, operator: string, detail: string}} Stop */

/**
 * Why a match was stopped: by an operator with a reason, or by the house itself.
 * @param {Stop} stop
 */
export function stopped({ reason, operator, detail }) {
  if (reason === "operator" && operator) return t("stop.by", { who: operator, why: detail });
  return t(`stop.${reason}`);
}

/**
 * Why a match is over that was stopped, or whose table was closed; empty for one that was played.
 * @param {string} phase
 * @param {string | null} reason As the read models have it: without who did it.
 */
export function ending(phase, reason) {
  if (phase === "stopped" && reason) return stopped({ reason, operator: "", detail: "" });
  return phase === "closed" && reason ? t(`closed.${reason}`) : "";
}
