// @ts-check
/** Play at once: a name for whoever has none, which game, how many, and one button. */
import { games, welcomeCoins } from "/net/games.js";
import { house } from "/net/house.js";
import { fill, h, refill } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { reason, refusal } from "/page/dialog.js";
import { t } from "/page/i18n.js";
import { choice, chosenGame, gameChoice } from "/views/choice.js";
import { guestName, keepName } from "/views/names.js";
import { seating, valueName, valuesOf } from "/views/options.js";
import { promises } from "/views/promises.js";

/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const FILL_SECONDS = 5; // whoever wants to play now does not want to wait for others

export class Play {
  constructor() {
    this.element = h("section", { class: "card play" });
    this.nickname = h("input", {
      id: "nickname",
      name: "nickname",
      maxlength: 20,
      autocomplete: "nickname",
      enterkeyhint: "go",
      value: guestName(),
      oninput: () => keepName(this.nickname.value),
    });
    this.which = h("div", { class: "which stack" });
    this.told = h("div");
    this.busy = false;
    /** @type {GameInfo[]} */
    this.games = [];
    /** @type {GameInfo | null} */
    this.game = null;
    /** The value of the option that says how many. @type {string | number} */
    this.players = 2;
    this.gift = 0;
    this.draw();
    void this.learn();
  }

  async learn() {
    try {
      this.games = await games();
      this.gift = await welcomeCoins();
    } catch (why) {
      fill(this.which, h("p", { class: "notice bad" }, reason(why)));
      return;
    }
    if (this.games.length > 0) this.choose(chosenGame(this.games));
    this.draw();
  }

  /** @param {GameInfo} game */
  choose(game) {
    this.game = game;
    const { players } = game.options.properties;
    if (!valuesOf(players).includes(this.players)) this.players = players.default;
    this.drawWhich();
  }

  /** Become somebody, who has no account yet. */
  async comeIn() {
    if (!house.account) await house.become(this.nickname.value);
  }

  async go() {
    if (this.busy) return;
    this.busy = true;
    this.draw();
    try {
      if (!this.game) await this.learn();
      if (this.game) {
        await this.comeIn();
        const options = { players: this.players, fill_seconds: FILL_SECONDS };
        location.hash = `#/table/${await house.playNow(this.game.name, options)}`;
      }
    } catch (why) {
      refusal(why);
    }
    this.busy = false;
    this.draw();
  }

  drawWhich() {
    const { game } = this;
    if (!game) return;
    const sizes = [...valuesOf(game.options.properties.players)].sort((one, other) => seating({ players: one }).size - seating({ players: other }).size);
    const among = sizes.map((value) => ({ value, text: valueName(game.name, "players", value) }));
    refill(
      this.which,
      gameChoice(this.games, game, (chosen) => this.choose(chosen)),
      choice(t("lobby.how_many"), "size", among, this.players, (players) => {
        this.players = players;
        this.drawWhich();
      }),
    );
    fill(this.told, promises(0, { players: this.players }));
  }

  draw() {
    const guest = !house.account;
    const go = { class: "button main large wide", id: "play", "data-do": "play", "aria-disabled": this.busy, onclick: () => void this.go() };
    this.drawWhich();
    refill(
      this.element,
      h("h1", null, t("welcome.title")),
      h("p", { class: "soft" }, t("welcome.about")),
      guest && h("div", { class: "field" }, h("label", { for: "nickname" }, t("welcome.name")), this.nickname),
      this.which,
      h("button", { type: "button", ...go }, t(this.busy ? "lobby.finding" : "lobby.play")),
      guest && this.gift > 0 && h("p", { class: "row small" }, icon("coin"), t("welcome.coins", { count: this.gift })),
      this.told,
      h(
        "p",
        { class: "row" },
        !guest && h("a", { class: "button", href: "#/new", "data-do": "new" }, t("lobby.open")),
        h("a", { class: "button plain", href: "#/help" }, icon("help"), t("bar.help")),
        guest && h("a", { class: "button plain", href: "#/me" }, t("welcome.recover")),
      ),
    );
  }
}
