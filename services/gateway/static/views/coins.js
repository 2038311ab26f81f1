// @ts-check
/** A player's own coins: what he has, what is held, and what changed it and why. */
import { house } from "/net/house.js";
import { fill, h } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { reason } from "/page/dialog.js";
import { moment, number, signed, t } from "/page/i18n.js";
import { stopped } from "/views/endings.js";

/** @typedef {import("/net/protocol.js").WalletChange} Change */

const PAGE = 100; // entries that the house tells at once

/** @type {import("/page/app.js").View} */
export function coins(main) {
  if (!house.account) {
    location.replace("#/");
    return () => {};
  }
  const purse = h("section", { class: "card purse" });
  const list = h("section", { class: "stack" });
  fill(main, h("div", { class: "narrow" }, h("h1", null, t("coins.title")), purse, list));
  /** @type {Change[]} */
  let changes = [];
  const drawPurse = () => {
    const has = house.wallet;
    fill(
      purse,
      h("p", { class: "sum" }, icon("coin"), h("strong", { class: "numbers" }, has ? number(has.available_coins) : "…"), h("span", { class: "soft" }, t("coins.available"))),
      has !== null && has.held_coins > 0 && h("p", null, t("coins.held", { count: has.held_coins })),
      h("ul", { class: "plain" }, (has?.holds ?? []).map((hold) => h("li", null, h("a", { href: `#/table/${hold.match_id}` }, t("coins.hold", { count: hold.coins }))))),
      h("p", { class: "soft small" }, t("coins.how")),
    );
  };
  const more = h("button", { type: "button", class: "button", onclick: () => void load() }, t("coins.more"));
  const load = async () => {
    try {
      const before = changes.at(-1)?.entry;
      const path = `/api/wallet/history${before ? `?before=${before}` : ""}`;
      const got = /** @type {Change[]} */ ((await house.readOwn(path)).changes);
      changes = [...changes, ...got];
      more.hidden = got.length < PAGE;
      drawList();
    } catch (why) {
      const again = h("button", { type: "button", class: "button", onclick: () => void load() }, t("again"));
      fill(list, h("h2", null, t("coins.history")), h("div", { class: "notice bad stack", role: "alert" }, reason(why), again));
    }
  };
  const drawList = () =>
    fill(
      list,
      h("h2", null, t("coins.history")),
      changes.length === 0 && h("p", { class: "empty" }, t("coins.none")),
      h("ol", { class: "changes plain" }, changes.map((one) => h("li", { class: "card" }, row(one)))),
      changes.length > 0 && more,
    );
  drawPurse();
  fill(list, h("p", { class: "loading" }, t("loading")));
  void load();
  let entry = house.wallet?.entry;
  return house.on("wallet", () => {
    drawPurse();
    if (entry !== undefined && entry !== house.wallet?.entry) {
      changes = [];
      void load();
    }
    entry = house.wallet?.entry;
  });
}

/** @param {Change} change */
function row(change) {
  const by = change.cause.kind === "operator" ? t("coins.by", { who: change.cause.operator ?? "", why: change.cause.reason ?? "" }) : "";
  const kind = change.cause.kind === "welcome" ? "welcome" : change.kind;
  const [gain, held] = [change.available_change_coins, change.held_change_coins];
  return [
    h("div", { class: "row spread" }, h("strong", null, t(`coins.kind.${kind}`)), h("strong", { class: `numbers ${gain > 0 ? "gain" : ""}` }, h("bdi", null, gain === 0 ? "—" : signed(gain)))),
    gain === 0 && held < 0 && h("p", { class: "small" }, t("coins.entry_lost", { count: -held })),
    by && h("p", { class: "small" }, by),
    change.stop && h("p", { class: "small" }, stopped(change.stop)),
    h(
      "div",
      { class: "row spread soft small" },
      h("time", { datetime: new Date(change.at_ms).toISOString() }, moment(change.at_ms)),
      h("span", null, t("coins.after", { count: change.available_coins })),
      change.match_id && h("a", { href: `#/table/${change.match_id}` }, t("coins.match")),
    ),
  ];
}
