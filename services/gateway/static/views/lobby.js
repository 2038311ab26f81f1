// @ts-check
/** The first view: play at once, come back to what is on, and the open tables. */
import { house } from "/net/house.js";
import { games } from "/net/games.js";
import { fill, h, name } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { refusal, reason } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { agrees, promises } from "/views/promises.js";
import { guestName } from "/views/names.js";
import { differences, valueName } from "/views/options.js";

/** @typedef {import("/net/protocol.js").OpenTable} OpenTable */

const GAME = "ludo";
const FILL_SECONDS = 5; // whoever wants to play now does not want to wait for others
const SIZES = [2, 4];

/** @type {import("/page/app.js").View} */
export function lobby(main) {
  let size = SIZES[0];
  let busy = false;
  /** @type {import("/net/protocol.js").GameInfo[]} */
  let known = [];
  const nickname = h("input", {
    id: "nickname",
    name: "nickname",
    maxlength: 20,
    autocomplete: "nickname",
    enterkeyhint: "go",
    value: guestName(),
  });
  const play = h("section", { class: "card play" });
  const mine = h("section", { class: "stack" });
  const tables = h("section", { class: "stack", "aria-live": "off" });
  fill(main, h("div", { class: "lobby" }, play, h("div", { class: "stack lobby-tables" }, mine, tables)));

  const go = async () => {
    if (busy) return;
    busy = true;
    drawPlay();
    try {
      if (!house.account) await house.become(nickname.value);
      const match = await house.playNow(GAME, { players: size, fill_seconds: FILL_SECONDS });
      location.hash = `#/table/${match}`;
    } catch (why) {
      refusal(why);
    }
    busy = false;
    drawPlay();
  };

  const drawPlay = () => {
    const guest = !house.account;
    fill(
      play,
      h("h1", null, t("welcome.title")),
      h("p", { class: "soft" }, t("welcome.about")),
      guest && h("div", { class: "field" }, h("label", { for: "nickname" }, t("welcome.name")), nickname),
      h(
        "div",
        { class: "sizes", role: "group", "aria-label": t("lobby.how_many") },
        SIZES.map((one) =>
          h(
            "button",
            {
              type: "button",
              class: "button",
              "aria-pressed": one === size,
              "data-size": one,
              onclick: () => {
                size = one;
                drawPlay();
              },
            },
            valueName(GAME, "players", one),
          ),
        ),
      ),
      h(
        "button",
        { type: "button", class: "button main large wide", "data-do": "play", "aria-disabled": busy, onclick: () => void go() },
        busy ? t("lobby.finding") : t("lobby.play"),
      ),
      promises(0, size),
      h(
        "p",
        { class: "row" },
        !guest && h("a", { class: "button", href: "#/new", "data-do": "new" }, t("lobby.open")),
        h("a", { class: "button plain", href: "#/help" }, icon("help"), t("bar.help")),
        guest && h("a", { class: "button plain", href: "#/me" }, t("welcome.recover")),
      ),
    );
  };

  const drawMine = () => {
    const running = [...house.mine];
    fill(
      mine,
      running.length > 0 && h("h2", null, t("lobby.yours")),
      running.map((id, at) =>
        h(
          "a",
          { class: "button main spread", href: `#/table/${id}` },
          t("lobby.back", { number: at + 1 }),
        ),
      ),
    );
  };

  const join = async (/** @type {OpenTable} */ table) => {
    if (!(await agrees(table.entry_coins, table.size))) return;
    try {
      await house.join(table.match_id);
      location.hash = `#/table/${table.match_id}`;
    } catch (why) {
      if (why instanceof Error && "reason" in why && why.reason === "already_seated") {
        location.hash = `#/table/${table.match_id}`;
      } else refusal(why);
    }
  };

  const drawTables = () => {
    if (!house.account) {
      fill(tables, h("h2", null, t("lobby.tables")), h("p", { class: "empty" }, t("lobby.guest")));
      return;
    }
    const now = house.lobby;
    fill(
      tables,
      h("div", { class: "row spread" }, h("h2", null, t("lobby.tables")), now && h("span", { class: "soft small" }, t("lobby.playing", { count: now.playing }))),
      !now && h("p", { class: "loading" }, t("loading")),
      now && now.tables.length === 0 && h("p", { class: "empty" }, t("lobby.none")),
      now && h("ul", { class: "tables" }, now.tables.map((one) => h("li", null, tableCard(one)))),
    );
  };

  const tableCard = (/** @type {OpenTable} */ table) => {
    const game = table.rules.split("/")[0];
    const info = known.find((one) => one.name === game) ?? null;
    const seated = house.mine.has(table.match_id);
    return h(
      "article",
      { class: "card table-card", "data-table": table.match_id },
      h(
        "div",
        { class: "row spread" },
        h("h3", null, t(`game.${game}`), " ", h("span", { class: "soft numbers" }, t("lobby.seats", { taken: table.players.length, all: table.size }))),
        table.entry_coins > 0
          ? h("span", { class: "tag brass" }, icon("coin"), t("lobby.entry", { count: table.entry_coins }))
          : h("span", { class: "tag good" }, t("lobby.free")),
      ),
      h("p", { class: "names" }, table.players.map((one) => name(one))),
      h("p", { class: "soft small" }, differences(info, table.options).join(" · ") || t("lobby.usual")),
      h(
        "div",
        { class: "row" },
        seated
          ? h("a", { class: "button main", href: `#/table/${table.match_id}` }, t("lobby.to_table"))
          : h("button", { type: "button", class: "button main", "data-do": "join", onclick: () => void join(table) }, t("lobby.join")),
        !seated && h("a", { class: "button", href: `#/table/${table.match_id}`, "data-do": "watch" }, t("lobby.watch")),
      ),
    );
  };

  const draw = () => {
    drawPlay();
    drawMine();
    drawTables();
  };
  draw();
  games().then(
    (all) => {
      known = all;
      drawTables();
    },
    (why) => tables.prepend(h("p", { class: "notice bad" }, reason(why))),
  );
  house.watchLobby(true);
  const ends = [
    house.on("lobby", drawTables),
    house.on("mine", () => {
      drawMine();
      drawTables();
    }),
    house.on("account", draw),
    () => house.watchLobby(false),
  ];
  return () => ends.forEach((end) => end());
}
