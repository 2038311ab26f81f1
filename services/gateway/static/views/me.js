// @ts-check
/** The player on this device: his name, the recovery code, his past matches, another account. */
import { house } from "/net/house.js";
import { fill, h, name } from "/page/dom.js";
import { ask, reason, refusal, toast } from "/page/dialog.js";
import { icon } from "/page/icons.js";
import { moment, signed, t } from "/page/i18n.js";

/** @type {import("/page/app.js").View} */
export function me(main) {
  const place = h("div", { class: "narrow" });
  fill(main, place);
  const draw = () => fill(place, house.account ? own(house.account) : [recovering()]);
  draw();
  return house.on("account", draw);
}

/** @param {import("/net/protocol.js").Account} account */
function own(account) {
  const nickname = h("input", { id: "nickname", maxlength: 20, value: account.nickname });
  const code = h("p", { class: "code secret", hidden: true });
  const past = h("div", { class: "stack" }, h("p", { class: "loading" }, t("loading")));
  void history(account.player_id, past);
  const rename = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await house.rename(nickname.value);
      toast(t("me.renamed"));
    } catch (why) {
      refusal(why);
    }
  };
  const reveal = () => {
    code.hidden = !code.hidden;
    code.textContent = code.hidden ? "" : account.recovery_code;
  };
  const forget = async () => {
    const question = { title: t("me.forget"), body: [h("p", null, t("me.forget_asked"))], yes: t("me.forget"), bad: true };
    if (!(await ask(question))) return;
    house.forget();
    location.hash = "#/";
  };
  return [
    h("h1", null, name(account.nickname)),
    h("form", { class: "card", onsubmit: rename }, h("div", { class: "field" }, h("label", { for: "nickname" }, t("welcome.name")), nickname), h("button", { class: "button" }, t("me.rename"))),
    h("section", { class: "card" }, h("h2", null, t("me.code")), h("p", { class: "soft" }, t("me.code_about")), h("button", { type: "button", class: "button", "data-do": "code", onclick: reveal }, t("me.show_code")), code),
    h("section", { class: "stack" }, h("h2", null, t("me.past")), past),
    h("p", null, h("button", { type: "button", class: "button bad", "data-do": "forget", onclick: () => void forget() }, t("me.forget"))),
  ];
}

function recovering() {
  const code = h("input", { id: "code", class: "code", autocomplete: "off", spellcheck: "false", dir: "ltr" });
  const nickname = h("input", { id: "nickname", maxlength: 20, autocomplete: "nickname" });
  const wrong = h("p", { class: "notice bad", role: "alert", hidden: true });
  const recover = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await house.recover(code.value.trim(), nickname.value);
      location.hash = "#/";
    } catch (why) {
      wrong.hidden = false;
      wrong.textContent = why instanceof Error && "reason" in why && why.reason !== "bad_nickname" && why.reason !== "no_line" ? t("me.bad_code") : reason(why);
    }
  };
  return h(
    "form",
    { class: "card", onsubmit: recover },
    h("h1", null, t("welcome.recover")),
    h("p", { class: "soft" }, t("me.recover_about")),
    h("div", { class: "field" }, h("label", { for: "code" }, t("me.code")), code),
    h("div", { class: "field" }, h("label", { for: "nickname" }, t("welcome.name")), nickname),
    wrong,
    h("div", { class: "row" }, h("button", { class: "button main", "data-do": "recover" }, t("me.recover")), h("a", { class: "button plain", href: "#/" }, t("cancel"))),
  );
}

/**
 * @param {string} playerId
 * @param {HTMLElement} place
 */
async function history(playerId, place) {
  /** @type {import("/net/protocol.js").PastSitting[]} */
  let matches;
  try {
    matches = (await house.readOwn(`/api/players/${playerId}/history`)).matches;
  } catch (why) {
    fill(place, h("p", { class: "notice bad" }, reason(why)));
    return;
  }
  const row = (/** @type {import("/net/protocol.js").PastSitting} */ one) =>
    h(
      "li",
      { class: "card row spread" },
      h("span", null, t(`game.${one.game}`), " ", h("span", { class: "soft small" }, moment(one.started_ms))),
      h("span", { class: "row" }, outcome(one)),
      h("a", { class: "button", href: one.ended_ms ? `/verify#${one.match_id}` : `#/table/${one.match_id}` }, t(one.ended_ms ? "table.verify" : "lobby.to_table")),
    );
  fill(
    place,
    matches.length === 0 && h("p", { class: "empty" }, t("me.none")),
    h("ul", { class: "plain stack" }, matches.map(row)),
  );
}

/**
 * What became of a match: place and prize, that he left, or that it was stopped.
 * @param {import("/net/protocol.js").PastSitting} one
 */
function outcome(one) {
  const stop = one.end_reason !== null && one.end_reason !== "finished";
  const what = one.place ? `place.${one.place}` : one.ended_ms ? (stop ? "me.stopped" : "me.no_place") : "me.running";
  return [
    h("span", { class: "tag" }, t(what)),
    one.has_left && h("span", { class: "tag bad" }, t("me.left")),
    (one.prize_coins ?? 0) > 0 && h("span", { class: "tag brass numbers" }, icon("coin"), signed(one.prize_coins ?? 0)),
    one.prize_coins === 0 && h("span", { class: "tag numbers" }, icon("coin"), t("me.no_prize")),
  ];
}
