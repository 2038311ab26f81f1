/** What the page asks of a game. Each is one module in this folder, listed in `all.js`. */
import type { Event, LogRecord, MatchState, Options, Way } from "/net/protocol.js";

export interface Game {
  name: string;
  /** Its rules in a few words, in order: `NAME.rule.` texts. */
  rules: string[];
  /** The board as play begins, as the options say; in the form that snapshots have. */
  initial(seats: number[], options: Options): any;
  /** Change a board as an event of the game says. No rule: the event says what happened. */
  fold(board: any, event: Event): void;
  /** Say an event of the game in words; null: nothing that people want to hear. */
  say(event: Event, who: (seat: number) => string): string | null;
  /** The colours, marks and names of seats are the game's; a mark may be the board's at the moment. */
  seatMark(seat: number, options: Options, board?: any): SVGElement;
  seatName(seat: number, options: Options): string;
  /** At which corner of the board each seat's player stands: `a` top left, then clockwise. */
  corners: string;
  /** The board is turned for each player, so that he sits where this seat is to others. */
  turns: number;
  view(hooks: Hooks): View;
}

export interface Hooks {
  /** The player wants this now. */
  act(intent: { type: string; [field: string]: any }): void;
  /** Something is heard: `dice`, `step`, `capture`, `home`. */
  sound(what: string): void;
}

export interface View {
  board: HTMLElement;
  /** What the thumb needs, below the board. */
  controls: HTMLElement;
  /** Show a match as it is, at once. */
  show(state: MatchState): void;
  /** Let what a record changed be seen in motion; `show` of the match after it follows. */
  play(record: LogRecord): Promise<void>;
  /** Look at a record that has just come and is not shown in motion: much came at once. */
  pass?(record: LogRecord): void;
  /** End what is moving, at once. */
  rush(): void;
  /**
   * Let the player act on this state, or not (null). `seat` is his; `ways`: where pieces come to that
   * he may choose, as the house has told it.
   */
  offer(state: MatchState | null, seat: number | null, ways: Way[]): void;
  /** Say what is waited for: the text in the controls while the player may not act. */
  wait(text: string): void;
  /** Number of the record that is drawn, for whoever looks at the page from outside. */
  mark(seq: number): void;
}
