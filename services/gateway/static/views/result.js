// @ts-check
/** What stands under the board when a match is over: places, prizes, the check, and once more. */
import { h, name } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { number, signed, t } from "/page/i18n.js";
import { ending, stopped } from "/views/endings.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */

/**
 * @param {string} check Where the match is checked.
 * @param {MatchState} state
 * @param {import("/net/protocol.js").Sitter | null} me
 * @param {import("/games/game.js").Game} game
 * @param {() => void} again Asked for another match like this one.
 */
export function result(check, state, me, game, again) {
  const places = [...state.places].sort((one, other) => one.place - other.place);
  const row = (/** @type {{seat: number, place: number}} */ one) => {
    const sitter = state.sitters.find((found) => found.seat === one.seat);
    const prize = state.coins?.prizes.find((found) => found.seat === one.seat);
    return h(
      "li",
      { class: "place", "data-place": one.place, "data-seat": one.seat },
      h("strong", null, t(`place.${one.place}`)),
      game.seatMark(one.seat, state.options, state.board),
      sitter?.nickname ? name(sitter.nickname) : h("span", { class: "name" }, t("seat.bot")),
      prize && h("span", { class: "tag brass numbers" }, icon("coin"), signed(prize.coins)),
      !prize && state.coins?.kind === "settled" && h("span", { class: "tag bad numbers" }, icon("coin"), signed(-state.entry_coins)),
    );
  };
  const priced = state.entry_coins > 0;
  const label = priced && `${t("table.again")} · ${t("lobby.entry", { count: state.entry_coins })}`;
  return h(
    "section",
    { class: "card result", "data-do": "result", tabindex: -1 },
    h("h2", null, outcome(state, me)),
    won(state, me),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "button main", id: "do-again", "data-do": "again", onclick: again, "aria-label": label }, t("table.again"), ...(priced ? [icon("coin"), h("span", { class: "numbers" }, number(state.entry_coins))] : [])),
      h("a", { class: "button", id: "do-verify", href: check, "data-do": "verify" }, icon("check"), t("table.verify")),
      h("a", { class: "button plain", href: "#/" }, t("help.home")),
    ),
    places.length > 0 && h("ol", { class: "places plain" }, places.map(row)),
    state.coins?.kind === "settled" &&
      h("p", { class: "soft small" }, t("table.pot", { pot: state.coins.pot, fee: state.coins.fee })),
    state.stop && h("p", null, stopped(state.stop)),
    state.why && h("p", null, t(`closed.${state.why}`)),
    state.phase === "stopped" && h("p", null, t(state.entry_coins > 0 ? "table.refunded" : "table.nobody")),
  );
}

/**
 * What became of the match for whoever looks: his place, where he has one.
 * @param {MatchState} state
 * @param {import("/net/protocol.js").Sitter | null} me
 */
function outcome(state, me) {
  const mine = state.places.find((one) => me !== null && one.seat === me.seat);
  if (state.phase !== "ended" || !mine || me?.forfeited) return t(`table.${state.phase}`);
  return mine.place === 1 ? t("table.won") : t("table.came", { place: t(`place.${mine.place}`) });
}

/**
 * What the end brought whoever played, in coins; nothing to say for others.
 * @param {MatchState} state
 * @param {import("/net/protocol.js").Sitter | null} me
 */
function won({ coins, entry_coins: entry }, me) {
  if (!me || !coins || coins.kind === "refunded") return null;
  const prize = coins.prizes.find((one) => one.seat === me.seat)?.coins ?? 0;
  if (coins.kind === "earned") return prize > 0 && h("p", { class: "gain" }, t("table.earned", { count: prize }));
  const change = h("strong", { class: "numbers" }, h("bdi", null, signed(prize - entry)));
  const told = prize > 0 ? t("table.prize", { prize, entry }) : t("table.lost", { entry });
  return h("p", { class: prize > entry ? "gain" : "loss", "data-do": "change" }, change, " · ", told);
}

/**
 * A match that is over for so long that only the read models have it.
 * @param {any} past
 * @param {import("/games/game.js").Game | null} game
 */
export function pastMatch(past, game) {
  const seated = [...past.seated].sort((one, other) => (one.place ?? 9) - (other.place ?? 9));
  const over = ["ended", "stopped", "closed"].includes(past.phase);
  const why = ending(past.phase, past.end_reason);
  const row = (/** @type {any} */ one) =>
    h(
      "li",
      { class: "place" },
      one.place && h("strong", null, t(`place.${one.place}`)),
      one.seat !== null && game?.seatMark(one.seat, past.options),
      one.nickname ? name(one.nickname) : h("span", { class: "name" }, t("seat.bot")),
      one.nickname && one.bot && h("span", { class: "tag bot" }, t("seat.bot")),
      one.has_left && h("span", { class: "tag bad" }, t("seat.gone")),
    );
  return h(
    "section",
    { class: "card result narrow" },
    h("h1", null, t(`game.${past.game}`)),
    h("p", { class: "soft" }, t(over ? `table.${past.phase}` : "table.damaged")),
    why && h("p", null, why),
    h("ol", { class: "places plain" }, seated.map(row)),
    h("div", { class: "row" }, h("a", { class: "button main", href: `/verify#${past.match_id}` }, t("table.verify")), h("a", { class: "button plain", href: "#/" }, t("help.home"))),
  );
}
