// @ts-check
/** What each record changes in what is shown of a match. No rule stands here: the records say it. */
import { game } from "/games/all.js";

/** @typedef {import("/net/protocol.js").MatchState} MatchState */
/** @typedef {import("/net/protocol.js").Event} Event */

/**
 * Return the match after a record; what was before stays as it is.
 * @param {MatchState | null} before Null: nothing was.
 * @param {import("/net/protocol.js").LogRecord} record
 * @returns {MatchState}
 */
export function fold(before, record) {
  const state = before ? structuredClone(before) : nothing(record.rules);
  for (const event of record.events) change(state, event);
  return state;
}

/**
 * @param {string} rules
 * @returns {MatchState}
 */
function nothing(rules) {
  const clocks = { step: 0, step_seat: null, step_ms: 0, fill_ms: 0, idle_ms: 0 };
  const table = { options: {}, size: 0, entry_coins: 0, sitters: [], places: [], board: null };
  return { phase: "open", rules, ...table, ...clocks };
}

/** @type {{[type: string]: (state: MatchState, event: Event) => void}} */
const CHANGES = {
  "table.opened": (state, event) => {
    state.options = event.options;
    state.size = event.seats;
    state.entry_coins = event.entry_coins;
    state.fill_ms = event.fill_ms;
    state.idle_ms = event.idle_ms;
  },
  "seat.taken": (state, event) => {
    state.sitters.push({
      seat: null,
      player_id: event.player_id,
      nickname: event.nickname,
      bot: event.bot,
      present: event.line !== null,
      away_ms: 0,
      left: false,
      forfeited: false,
    });
    state.idle_ms = event.idle_ms;
  },
  "seat.freed": (state, event) => {
    state.sitters = state.sitters.filter((one) => one.player_id !== event.player_id);
    state.idle_ms = event.idle_ms;
  },
  "funding.began": (state) => {
    state.phase = "funding";
    state.idle_ms = 0;
  },
  "funding.failed": (state) => {
    state.phase = "open";
  },
  "match.started": (state, event) => {
    const sat = state.sitters;
    state.sitters = event.dealt.map((/** @type {number} */ chair, /** @type {number} */ at) => ({
      ...sat[chair],
      seat: event.seats[at],
    }));
    state.phase = "playing";
    state.fill_ms = state.idle_ms = 0;
    state.board = game(state.rules)?.initial(event.seats, state.options) ?? null;
  },
  "step.opened": (state, event) => {
    state.step = event.step;
    state.step_seat = event.seat;
    state.step_ms = event.deadline_ms;
  },
  "step.timed_out": () => undefined,
  "player.present": (state, event) => {
    const back = { present: true, away_ms: 0, bot: false, left: false };
    Object.assign(sitter(state, event), back);
  },
  "player.away": (state, event) => {
    Object.assign(sitter(state, event), { present: false, away_ms: event.until_ms });
  },
  "player.left": (state, event) => {
    const free = state.entry_coins === 0;
    Object.assign(sitter(state, event), {
      present: false,
      away_ms: 0,
      bot: event.bot,
      left: event.why !== "away" || !free,
      forfeited: !free && !event.kept,
    });
  },
  "match.resumed": (state, event) => {
    for (const one of state.sitters) one.away_ms = 0;
    for (const clock of event.away) sitter(state, clock).away_ms = clock.until_ms;
    state.step_ms = event.step_ms;
    state.fill_ms = event.fill_ms;
    state.idle_ms = event.idle_ms;
  },
  "entries.settled": (state, event) => {
    const { pot_coins: pot, fee_coins: fee, prizes } = event;
    state.coins = { kind: "settled", pot, fee, prizes };
  },
  "entries.refunded": (state) => {
    state.coins = { kind: "refunded", pot: 0, fee: 0, prizes: [] };
  },
  "coins.earned": (state, event) => {
    state.coins = { kind: "earned", pot: 0, fee: 0, prizes: event.rewards };
  },
  "match.ended": (state, event) => {
    state.places = event.places;
    end(state, "ended");
  },
  "match.stopped": (state, event) => {
    const { reason, operator, detail } = event;
    state.stop = { reason, operator, detail };
    end(state, "stopped");
  },
  "table.closed": (state, event) => {
    state.why = event.why;
    end(state, "closed");
  },
};

/**
 * @param {MatchState} state
 * @param {Event} event
 */
function change(state, event) {
  const known = CHANGES[event.type];
  if (known) known(state, event);
  else if (state.board) game(state.rules)?.fold(state.board, event);
}

/**
 * @param {MatchState} state
 * @param {Event | {player_id: string}} event
 */
function sitter(state, event) {
  const found = state.sitters.find((one) => one.player_id === event.player_id);
  if (!found) throw new Error(`the log names a player who does not sit here`);
  return found;
}

/**
 * @param {MatchState} state
 * @param {"ended" | "stopped" | "closed"} phase
 */
function end(state, phase) {
  for (const one of state.sitters) one.away_ms = 0;
  Object.assign(state, { phase, step_seat: null, step_ms: 0, fill_ms: 0, idle_ms: 0 });
}
