// @ts-check
/** What a player is told before he takes a seat (rule P), and the question that goes with it. */
import { h } from "/page/dom.js";
import { ask } from "/page/dialog.js";
import { t } from "/page/i18n.js";

/**
 * What is promised at such a table.
 * @param {number} entry In coins; 0: a free table.
 * @param {number} size Seats.
 */
export function promises(entry, size) {
  const told = entry > 0 ? coinTable(entry, size) : [t("promise.free_bots"), t("promise.earn")];
  const all = [...told, t("promise.options"), t("promise.never_sold"), t("promise.clock")];
  return h("ul", { class: "promises" }, all.map((text) => h("li", null, text)));
}

/**
 * Rule M: a tenth of the pot is the fee; two players play for all the rest, more share it.
 * @param {number} entry
 * @param {number} size
 */
function coinTable(entry, size) {
  const pot = entry * size;
  const net = pot - Math.floor(pot / 10);
  const second = size > 2 ? Math.floor((net * 30) / 100) : 0;
  const prizes = { first: net - second, second };
  return [
    t("promise.entry", { coins: entry, fee: pot - net }),
    t(size > 2 ? "promise.prizes" : "promise.prize", prizes),
    t("promise.lost"),
    t("promise.stopped"),
    t("promise.no_bots"),
  ];
}

/**
 * Ask whether to sit down at a coin table; a free one costs nothing, so nothing is asked.
 * @param {number} entry
 * @param {number} size
 */
export async function agrees(entry, size) {
  if (entry === 0) return true;
  const title = t("promise.title", { coins: entry });
  return ask({ title, body: [promises(entry, size)], yes: t("promise.sit") });
}
