// @ts-check
/**
 * What a match's records may look like. Made by `make schemas` from the messages; see `form.js`.
 */

/** @typedef {import("./form.js").Form} Form */

/** By name; `Record` is the whole. @type {Record<string, Form>} */
export const FORMS = {
  "Record": {"fields":{"v":{"least":1,"most":1},"match_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"seq":{"least":1,"most":9007199254740991},"at_ms":{"least":0,"most":9007199254740991},"caused_by":{"as":"Cause"},"rules":{"text":"^[a-z][a-z0-9_./-]{0,39}$","most":65536},"prev":{"text":"^[0-9a-f]{64}$","most":65536},"events":{"list":{"by_type":{"coins.earned":"CoinsEarned","entries.refunded":"EntriesRefunded","entries.settled":"EntriesSettled","funding.began":"FundingBegan","funding.failed":"FundingFailed","ludo.choice_opened":"ChoiceOpened","ludo.pawn_captured":"PawnCaptured","ludo.pawn_moved":"PawnMoved","ludo.roll_declined":"RollDeclined","ludo.rolled":"DieRolled","ludo.rolls_again":"RollsAgain","ludo.seat_finished":"SeatFinished","ludo.seat_left":"SeatLeft","ludo.seat_remained":"SeatRemained","ludo.side_won":"SideWon","ludo.start_decided":"StartDecided","ludo.start_rolled":"StartRolled","ludo.turn_passed":"TurnPassed","ludo.turn_undone":"TurnUndone","match.ended":"MatchEnded","match.resumed":"MatchResumed","match.started":"MatchStarted","match.stopped":"MatchStopped","player.away":"PlayerAway","player.left":"PlayerLeft","player.present":"PlayerPresent","seat.freed":"SeatFreed","seat.taken":"SeatTaken","step.opened":"StepOpened","step.timed_out":"StepTimedOut","table.closed":"TableClosed","table.opened":"TableOpened"}},"least":1,"most":200}}},
  "AwayClock": {"fields":{"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"until_ms":{"least":0,"most":9007199254740991}}},
  "Cause": {"fields":{"intent_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"sender":{"text":"^(player:[0-9a-f-]{36}|system:[a-z]{1,20})$","most":65536},"partition":{"least":0,"most":9999},"offset":{"least":0,"most":9007199254740991},"at_ms":{"least":0,"most":9007199254740991}}},
  "ChoiceOpened": {"fields":{"type":{"one_of":["ludo.choice_opened"]},"seat":{"least":0,"most":3},"movable":{"list":{"least":0,"most":3},"least":1,"most":4},"may_decline":{"one_of":[false,true]}}},
  "CoinsEarned": {"fields":{"type":{"one_of":["coins.earned"]},"rewards":{"list":{"as":"Prize"},"least":1,"most":4}}},
  "DieRolled": {"fields":{"type":{"one_of":["ludo.rolled"]},"index":{"least":0,"most":9007199254740991},"seat":{"least":0,"most":3},"number":{"text":"^(0|[1-9][0-9]{0,19})?$","most":65536,"bits":64},"value":{"least":1,"most":6},"movable":{"list":{"least":0,"most":3},"least":0,"most":4}}},
  "EntriesRefunded": {"fields":{"type":{"one_of":["entries.refunded"]},"attempt":{"least":0,"most":9007199254740991},"entry_coins":{"least":1,"most":9007199254740991},"players":{"list":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"least":1,"most":4}}},
  "EntriesSettled": {"fields":{"type":{"one_of":["entries.settled"]},"attempt":{"least":0,"most":9007199254740991},"pot_coins":{"least":1,"most":9007199254740991},"fee_coins":{"least":0,"most":9007199254740991},"prizes":{"list":{"as":"Prize"},"least":1,"most":4}}},
  "FundingBegan": {"fields":{"type":{"one_of":["funding.began"]},"attempt":{"least":0,"most":9007199254740991},"entry_coins":{"least":1,"most":9007199254740991},"players":{"list":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"least":1,"most":4}}},
  "FundingFailed": {"fields":{"type":{"one_of":["funding.failed"]},"attempt":{"least":0,"most":9007199254740991}}},
  "Line": {"fields":{"gateway":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"number":{"least":0,"most":9007199254740991}}},
  "MatchEnded": {"fields":{"type":{"one_of":["match.ended"]},"places":{"list":{"as":"Place"},"least":0,"most":4},"secret":{"text":"^[0-9a-f]{64}$","most":65536}}},
  "MatchResumed": {"fields":{"type":{"one_of":["match.resumed"]},"last_ms":{"least":0,"most":9007199254740991},"step_ms":{"least":0,"most":9007199254740991},"fill_ms":{"least":0,"most":9007199254740991},"idle_ms":{"least":0,"most":9007199254740991},"away":{"list":{"as":"AwayClock"},"least":0,"most":4}}},
  "MatchStarted": {"fields":{"type":{"one_of":["match.started"]},"seats":{"list":{"least":0,"most":3},"least":0,"most":4},"dealt":{"list":{"least":0,"most":3},"least":0,"most":4}}},
  "MatchStopped": {"fields":{"type":{"one_of":["match.stopped"]},"reason":{"one_of":["stood_still","too_long","fault","operator"]},"operator":{"text":"^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*$","most":200},"detail":{"text":"^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*$","most":200},"secret":{"text":"^[0-9a-f]{64}$","most":65536}}},
  "PawnCaptured": {"fields":{"type":{"one_of":["ludo.pawn_captured"]},"seat":{"least":0,"most":3},"pawn":{"least":0,"most":3},"start":{"least":-1,"most":56},"captor":{"least":0,"most":3}}},
  "PawnMoved": {"fields":{"type":{"one_of":["ludo.pawn_moved"]},"seat":{"least":0,"most":3},"pawn":{"least":0,"most":3},"start":{"least":-1,"most":56},"progress":{"least":-1,"most":56},"why":{"one_of":["chosen","only_move","alike","clock"]}}},
  "Place": {"fields":{"seat":{"least":0,"most":3},"place":{"least":1,"most":4}}},
  "PlayerAway": {"fields":{"type":{"one_of":["player.away"]},"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"until_ms":{"least":0,"most":9007199254740991}}},
  "PlayerLeft": {"fields":{"type":{"one_of":["player.left"]},"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"seat":{"least":0,"most":3},"why":{"one_of":["left","away","missed"]},"bot":{"one_of":[false,true]},"kept":{"one_of":[false,true]}}},
  "PlayerPresent": {"fields":{"type":{"one_of":["player.present"]},"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"line":{"as":"Line"},"returned":{"one_of":[false,true]}}},
  "Prize": {"fields":{"seat":{"least":0,"most":3},"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"coins":{"least":1,"most":9007199254740991}}},
  "RollDeclined": {"fields":{"type":{"one_of":["ludo.roll_declined"]},"seat":{"least":0,"most":3},"value":{"least":1,"most":6}}},
  "RollsAgain": {"fields":{"type":{"one_of":["ludo.rolls_again"]},"seat":{"least":0,"most":3},"why":{"list":{"one_of":["six","capture","home","owed"]},"least":1,"most":3}}},
  "SeatFinished": {"fields":{"type":{"one_of":["ludo.seat_finished"]},"seat":{"least":0,"most":3},"place":{"least":0,"most":4}}},
  "SeatFreed": {"fields":{"type":{"one_of":["seat.freed"]},"player_id":{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},"why":{"one_of":["left","away","refused"]},"idle_ms":{"least":0,"most":9007199254740991}}},
  "SeatLeft": {"fields":{"type":{"one_of":["ludo.seat_left"]},"seat":{"least":0,"most":3},"place":{"least":0,"most":4}}},
  "SeatRemained": {"fields":{"type":{"one_of":["ludo.seat_remained"]},"seat":{"least":0,"most":3},"place":{"least":1,"most":4}}},
  "SeatTaken": {"fields":{"type":{"one_of":["seat.taken"]},"player_id":{"any":[{"text":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$","most":65536},{"one_of":[""]}]},"nickname":{"text":"^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*$","most":20},"seat_number":{"text":"^(0|[1-9][0-9]{0,19})?$","most":65536,"bits":64},"line":{"any":[{"as":"Line"},{"one_of":[null]}]},"bot":{"one_of":[false,true]},"idle_ms":{"least":0,"most":9007199254740991}}},
  "SideWon": {"fields":{"type":{"one_of":["ludo.side_won"]},"seats":{"list":{"least":0,"most":3},"least":2,"most":2}}},
  "StartDecided": {"fields":{"type":{"one_of":["ludo.start_decided"]},"seat":{"least":0,"most":3},"why":{"one_of":["random","highest_roll"]}}},
  "StartRolled": {"fields":{"type":{"one_of":["ludo.start_rolled"]},"index":{"least":0,"most":9007199254740991},"seat":{"least":0,"most":3},"value":{"least":1,"most":6}}},
  "StepOpened": {"fields":{"type":{"one_of":["step.opened"]},"step":{"least":0,"most":9007199254740991},"seat":{"least":0,"most":3},"deadline_ms":{"least":0,"most":9007199254740991}}},
  "StepTimedOut": {"fields":{"type":{"one_of":["step.timed_out"]},"step":{"least":0,"most":9007199254740991},"seat":{"least":0,"most":3}}},
  "TableClosed": {"fields":{"type":{"one_of":["table.closed"]},"why":{"one_of":["empty","idle"]},"secret":{"text":"^[0-9a-f]{64}$","most":65536}}},
  "TableOpened": {"fields":{"type":{"one_of":["table.opened"]},"game":{"text":"^[a-z][a-z0-9_./-]{0,39}$","most":65536},"options":{"names":"^[a-z][a-z0-9_./-]{0,39}$","values":{"any":[{"text":"^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*$","most":40},{"least":0,"most":9007199254740991}]},"most":40},"seats":{"least":1,"most":4},"entry_coins":{"least":0,"most":9007199254740991},"key_id":{"text":"^[a-z][a-z0-9_./-]{0,39}$","most":65536},"commitment":{"text":"^[0-9a-f]{64}$","most":65536},"fill_ms":{"least":0,"most":9007199254740991},"idle_ms":{"least":0,"most":9007199254740991}}},
  "TurnPassed": {"fields":{"type":{"one_of":["ludo.turn_passed"]},"seat":{"least":0,"most":3},"why":{"one_of":["no_move","third_six","moved","finished","left","declined"]}}},
  "TurnUndone": {"fields":{"type":{"one_of":["ludo.turn_undone"]},"seat":{"least":0,"most":3},"pawns":{"list":{"list":{"least":-1,"most":56},"least":0,"most":4},"least":4,"most":4},"captors":{"list":{"least":0,"most":3},"least":0,"most":4}}},
};

/** What there is of each game, by its rules version. */
/** @type {Record<string, {game: string, events: string[]}>} */
export const GAMES = {
  "ludo/1": {"game":"ludo","events":["ludo.start_rolled","ludo.start_decided","ludo.rolled","ludo.choice_opened","ludo.roll_declined","ludo.pawn_moved","ludo.pawn_captured","ludo.turn_undone","ludo.rolls_again","ludo.turn_passed","ludo.seat_finished","ludo.seat_left","ludo.seat_remained","ludo.side_won"]},
  "ludo/2": {"game":"ludo","events":["ludo.start_rolled","ludo.start_decided","ludo.rolled","ludo.choice_opened","ludo.roll_declined","ludo.pawn_moved","ludo.pawn_captured","ludo.turn_undone","ludo.rolls_again","ludo.turn_passed","ludo.seat_finished","ludo.seat_left","ludo.seat_remained","ludo.side_won"]},
};

/** So long a record may be. */
export const RECORD_BYTES = 65536;

/** Over so many partitions of the log matches are spread. */
export const PARTITIONS = 12;
