// @ts-check
/** The first view: play at once, come back to what is on, the open tables, and what is played. */
import { game } from "/games/all.js";
import { read } from "/net/account.js";
import { games } from "/net/games.js";
import { house } from "/net/house.js";
import { fill, h, name, refill } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { reason, refusal } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { helpFor } from "/views/help.js";
import { differences } from "/views/options.js";
import { Play } from "/views/play.js";
import { agrees, entryTag } from "/views/promises.js";

/** @typedef {import("/net/protocol.js").OpenTable} OpenTable */
/** @typedef {import("/net/protocol.js").RunningMatch} RunningMatch */

const STRANGER_MS = 5_000; // whoever has no line yet asks so often

/** @type {import("/page/app.js").View} */
export function lobby(main) {
  const view = new LobbyView(main);
  return () => view.end();
}

class LobbyView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.play = new Play();
    this.mine = h("section", { class: "stack lobby-mine" });
    this.tables = h("section", { class: "stack", "aria-live": "off" });
    this.running = h("section", { class: "stack", "aria-live": "off" });
    /** @type {import("/net/protocol.js").GameInfo[]} */
    this.known = [];
    /** What came by itself while there was no line. @type {import("/net/protocol.js").Lobby | null} */
    this.read = null;
    /** Why it did not come. @type {unknown} */
    this.failed = null;
    fill(main, h("div", { class: "lobby" }, this.mine, this.play.element, h("div", { class: "stack lobby-tables" }, this.tables, this.running)));
    games().then((all) => {
      this.known = all;
      this.drawLists();
    }, () => undefined); // said beside the button, which needs them
    house.watchLobby(true);
    void this.ask();
    const asking = setInterval(() => void this.ask(), STRANGER_MS);
    this.ends = [
      house.on("lobby", () => this.draw()),
      house.on("mine", () => this.draw()),
      house.on("account", () => {
        this.play.draw();
        this.draw();
      }),
      () => house.watchLobby(false),
      () => clearInterval(asking),
    ];
    this.draw();
  }

  end() {
    for (const end of this.ends) end();
  }

  /** Ask what there is, for whoever has no account and so no line. */
  async ask() {
    if (house.account || document.hidden) return;
    try {
      this.read = await read("/api/lobby");
      this.failed = null;
    } catch (why) {
      this.failed = why;
    }
    this.drawLists();
  }

  draw() {
    const running = [...house.mine];
    refill(
      this.mine,
      running.length > 0 && h("h2", null, t("lobby.yours")),
      running.map((id, at) => h("a", { class: "button main", id: `back-${id}`, href: `#/table/${id}`, "data-do": "back" }, this.back(id, running.length > 1 ? at + 1 : 0))),
    );
    this.drawLists();
  }

  /**
   * What the way back to an own match says: which game it is, where that is known.
   * @param {string} id
   * @param {number} number 0: it is the only one.
   */
  back(id, number) {
    const rules = house.matches.get(id)?.state?.rules ?? house.lobby?.running.find((one) => one.match_id === id)?.rules;
    const which = number ? t("lobby.back_many", { number }) : t("back.to");
    return rules ? `${which} · ${t(`game.${rules.split("/")[0]}`)}` : which;
  }

  drawLists() {
    const now = house.account ? house.lobby : this.read;
    refill(
      this.tables,
      h("h2", null, t("lobby.tables")),
      !now && (this.failed ? h("p", { class: "notice bad", role: "alert" }, reason(this.failed)) : h("p", { class: "loading" }, t("loading"))),
      now && now.tables.length === 0 && h("p", { class: "empty" }, t(house.account ? "lobby.none" : "lobby.none_guest")),
      now && h("ul", { class: "tables" }, now.tables.filter(shown).map((one) => h("li", null, this.table(one)))),
      now && now.open > now.tables.length && h("p", { class: "soft small" }, t("lobby.more_tables", { count: now.open - now.tables.length })),
    );
    const more = now ? now.playing - now.running.length : 0;
    refill(
      this.running,
      now && h("h2", null, t("lobby.running")),
      now && now.running.length === 0 && h("p", { class: "empty" }, t("lobby.none_running")),
      now && h("ul", { class: "tables" }, now.running.filter(shown).map((one) => h("li", null, this.match(one)))),
      more > 0 && h("p", { class: "soft small" }, t("lobby.more_running", { count: more })),
    );
  }

  /** @param {OpenTable} table */
  table(table) {
    const game = table.rules.split("/")[0];
    const info = this.known.find((one) => one.name === game) ?? null;
    const seated = house.mine.has(table.match_id);
    return h(
      "article",
      { class: "card table-card", "data-table": table.match_id },
      h(
        "div",
        { class: "row spread" },
        h("h3", null, t(`game.${game}`), " ", h("span", { class: "soft numbers" }, t("lobby.seats", { taken: table.players.length, all: table.size }))),
        entryTag(table.entry_coins),
      ),
      h("p", { class: "names" }, table.players.map((one) => name(one))),
      h("p", { class: "filled small" }, icon(table.entry_coins > 0 ? "person" : "robot"), filled(table)),
      h("p", { class: "soft small" }, differences(info, table.options).join(" · ") || t("lobby.usual")),
      h(
        "div",
        { class: "row" },
        seated
          ? h("a", { class: "button main", href: `#/table/${table.match_id}` }, t("lobby.to_table"))
          : h("button", { type: "button", class: "button main", id: `join-${table.match_id}`, "data-do": "join", onclick: () => void this.join(table) }, t("lobby.join")),
        !seated && h("a", { class: "button", id: `watch-${table.match_id}`, href: `#/table/${table.match_id}`, "data-do": "watch" }, t("lobby.watch")),
        h("button", { type: "button", class: "button plain", id: `rules-${table.match_id}`, "data-do": "rules", "aria-label": t("bar.help"), onclick: () => void helpFor(table) }, icon("help")),
      ),
    );
  }

  /** @param {RunningMatch} match */
  match(match) {
    const mine = house.mine.has(match.match_id);
    const seats = match.seats.map((seat) => [
      icon(seat.bot ? "robot" : "person"),
      seat.nickname ? name(seat.nickname) : t("seat.bot"),
      seat.bot && seat.nickname && h("span", { class: "soft small" }, t("lobby.bot_plays")),
    ]);
    return h(
      "article",
      { class: "card running-card", "data-running": match.match_id },
      h("div", { class: "row spread" }, h("h3", null, t(`game.${match.rules.split("/")[0]}`)), entryTag(match.entry_coins)),
      h("ul", { class: "names plain" }, seats.map((seat) => h("li", { class: "row" }, seat))),
      h(
        "div",
        { class: "row spread" },
        h("span", { class: "soft small numbers" }, t("lobby.far", { count: match.step }), " · ", since(match.match_id)),
        h("a", { class: mine ? "button main" : "button", id: `watch-${match.match_id}`, href: `#/table/${match.match_id}`, "data-do": "watch" }, t(mine ? "lobby.to_table" : "lobby.watch")),
      ),
    );
  }

  /** @param {OpenTable} table */
  async join(table) {
    try {
      await this.play.comeIn(); // first, so that what he has is said before he sits down
      if (!(await agrees(table.entry_coins, table.options))) return;
      await house.join(table.match_id);
      location.hash = `#/table/${table.match_id}`;
    } catch (why) {
      if (why instanceof Error && "reason" in why && why.reason === "already_seated") {
        location.hash = `#/table/${table.match_id}`;
      } else refusal(why);
    }
  }
}

/** Who takes the seats that are empty. @param {OpenTable} table */
function filled({ entry_coins, options }) {
  const seconds = Number(options.fill_seconds);
  return entry_coins > 0 ? t("lobby.people_only") : t("lobby.bots_fill", { seconds });
}

/** Whether the page has a view for it. @param {{rules: string}} table */
function shown({ rules }) {
  return game(rules) !== null;
}

/** How long ago a match was opened: its id begins with the moment. @param {string} matchId */
function since(matchId) {
  const opened = Number.parseInt(matchId.slice(0, 8) + matchId.slice(9, 13), 16);
  const count = Math.floor((house.now() - opened) / 60_000);
  return count < 1 ? t("lobby.just_now") : t("lobby.since", { count });
}
