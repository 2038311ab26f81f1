/** What the gateway and this page say to each other; `../../PROTOCOL.md` tells it in full. */

export interface Account {
  player_id: string;
  nickname: string;
  token: string;
  expires_ms: number;
  account_key: string;
  recovery_code: string;
}
export interface Event {
  type: string;
  [field: string]: any;
}
export interface LogRecord {
  match_id: string;
  seq: number;
  at_ms: number;
  caused_by: { intent_id: string; sender: string };
  rules: string;
  prev: string;
  events: Event[];
}
export interface Sitter {
  seat: number | null;
  player_id: string;
  nickname: string;
  bot: boolean;
  present: boolean;
  away_ms: number;
  left: boolean;
  forfeited: boolean;
}
export type Options = { [name: string]: string | number };
export interface MatchState {
  phase: "open" | "funding" | "playing" | "ended" | "stopped" | "closed";
  rules: string;
  options: Options;
  size: number;
  entry_coins: number;
  sitters: Sitter[];
  step: number;
  step_seat: number | null;
  step_ms: number;
  fill_ms: number;
  idle_ms: number;
  places: { seat: number; place: number }[];
  board: any;
  /** What the end brought, as its record said; not in a snapshot. */
  coins?: { kind: string; fee: number; pot: number; prizes: { seat: number; coins: number }[] };
  /** Why it was stopped, as its record said; not in a snapshot. */
  stop?: { reason: string; operator: string; detail: string };
  /** Why its table was closed, as its record said; not in a snapshot. */
  why?: string;
}
/** Where a piece comes to that may be chosen: by which throw, and whether it goes round again. */
export interface Way {
  item: number;
  piece: number;
  lap: boolean;
  progress: number;
}
export interface Ways {
  type: "ways";
  match_id: string;
  seq: number;
  ways: Way[];
}
export interface Snapshot {
  type: "snapshot";
  match_id: string;
  seq: number;
  digest: string;
  state: MatchState;
}
export interface Wallet {
  type: "wallet";
  entry: number;
  available_coins: number;
  held_coins: number;
  holds: { match_id: string; coins: number }[];
}
export interface OpenTable {
  match_id: string;
  rules: string;
  options: Options;
  size: number;
  entry_coins: number;
  players: string[];
  fill_ms: number;
}
export interface RunningMatch {
  match_id: string;
  rules: string;
  entry_coins: number;
  seats: { nickname: string; bot: boolean }[];
  step: number;
}
export interface Lobby {
  type: "lobby";
  tables: OpenTable[];
  running: RunningMatch[];
  open: number;
  playing: number;
}
export interface GameInfo {
  name: string;
  rules: string;
  options: {
    properties: { [name: string]: OptionSchema };
    /** Ways to play that have a name. */
    presets?: { [name: string]: Options };
  };
}
export interface OptionSchema {
  enum?: (string | number)[];
  /** Instead: there is but one. */
  const?: string | number;
  default: string | number;
}
export interface WalletChange {
  entry: number;
  at_ms: number;
  kind: string;
  match_id: string | null;
  cause: { kind: string; operator?: string; reason?: string };
  /** Of a refund: why the match was stopped. */
  stop: { reason: string; operator: string; detail: string } | null;
  available_change_coins: number;
  held_change_coins: number;
  available_coins: number;
  held_coins: number;
}
export interface PastSitting {
  match_id: string;
  game: string;
  seat: number;
  entry_coins: number;
  started_ms: number;
  ended_ms: number | null;
  end_reason: string | null;
  place: number | null;
  has_left: boolean;
  prize_coins: number | null;
}
