// @ts-check
/** What a player is told before he takes a seat (rule P), and the question that goes with it. */
import { h } from "/page/dom.js";
import { ask, show } from "/page/dialog.js";
import { icon } from "/page/icons.js";
import { house } from "/net/house.js";
import { t } from "/page/i18n.js";
import { seating } from "/views/options.js";

/** @typedef {import("/net/protocol.js").Options} Options */

/** What a table costs, in a word. @param {number} coins 0: a free one. */
export function entryTag(coins) {
  return coins > 0
    ? h("span", { class: "tag brass" }, icon("coin"), t("lobby.entry", { count: coins }))
    : h("span", { class: "tag good" }, t("lobby.free"));
}

/**
 * What is promised at such a table.
 * @param {number} entry In coins; 0: a free table.
 * @param {Options} options
 */
export function promises(entry, options) {
  const told = entry > 0 ? coinTable(entry, options) : [t("promise.free_bots"), t("promise.earn")];
  const all = [...told, t("promise.options"), t("promise.never_sold"), t("promise.clock")];
  return h("ul", { class: "promises" }, all.map((text) => h("li", null, text)));
}

/**
 * Rule M: a tenth of the pot is the fee; two players play for all the rest, more share it, and
 * partners halve it.
 * @param {number} entry
 * @param {Options} options
 */
function coinTable(entry, options) {
  const { size, sides } = seating(options);
  const pot = entry * size;
  const net = pot - Math.floor(pot / 10);
  const second = sides ? Math.floor(net / 2) : size > 2 ? Math.floor((net * 30) / 100) : 0;
  const prizes = { first: net - second, second, net };
  const shared = sides ? "promise.sides" : size > 2 ? "promise.prizes" : "promise.prize";
  return [
    t("promise.entry", { coins: entry, fee: pot - net }),
    t(shared, prizes),
    t("promise.lost"),
    t("promise.stopped"),
    t("promise.no_bots"),
  ];
}

/**
 * Ask whether to sit down at a coin table, where it is said what he has; who has too little can't.
 * A free one costs nothing, so nothing is asked.
 * @param {number} entry
 * @param {Options} options
 */
export async function agrees(entry, options) {
  if (entry === 0) return true;
  const title = t("promise.title", { coins: entry });
  const has = await house.purse(entry);
  const had = has === null ? null : h("p", { "data-do": "have" }, t("promise.have", { count: has }), has < entry && ` ${t("promise.short")}`);
  if (has !== null && has < entry) {
    await show(title, [h("div", { class: "notice bad" }, had), promises(entry, options)]);
    return false;
  }
  return ask({ title, body: [had, promises(entry, options)], yes: t("promise.sit") });
}
