"""What `replay` says of Carrom: see `words`."""

from __future__ import annotations

from typing import Final

ENGLISH: Final = {
    "carrom.board_laid/colours": (
        "board {board} is laid: white is {white}, black is {black}; {who} breaks"
    ),
    "carrom.board_laid/points": (
        "board {board} is laid, and everybody plays for points; {who} breaks"
    ),
    "carrom.striker_shot/chosen": (
        "{who} shoots from {x} mm off the middle, in the direction ({dx}, {dy}), at {speed} m/s"
    ),
    "carrom.striker_shot/clock": (
        "the game shoots for {who} from {x} mm off the middle, in the direction ({dx}, {dy}), at "
        "{speed} m/s"
    ),
    "carrom.striker_blocked": "coins leave no room for the striker of {who}: no shot",
    "carrom.discs_rested/none": "nothing falls, and all rests after {seconds} s",
    "carrom.discs_rested/some": "{fell} fall, and all rests after {seconds} s",
    "carrom.shot_judged/sound": (
        "no foul (row {row}){back}; down are {down}, the queen is {queen}"
    ),
    "carrom.shot_judged/striker": (
        "a foul, the striker fell (row {row}){back}; down are {down}, the queen is {queen}"
    ),
    "carrom.shot_judged/last_own": (
        "a foul, the last own coin fell before the queen was covered (row {row}){back}; down are "
        "{down}, the queen is {queen}"
    ),
    "carrom.shot_judged/last_other": (
        "a foul, the opponent's last coin fell before the queen was covered (row {row}){back}; "
        "down are {down}, the queen is {queen}"
    ),
    "carrom.shot_judged/last_of_both": (
        "a foul, the last coins of both fell before the queen was covered (row {row}){back}; down "
        "are {down}, the queen is {queen}"
    ),
    "carrom.shot_judged/other_coin": (
        "a foul, a coin of the opponent fell (row {row}){back}; down are {down}, the queen is "
        "{queen}"
    ),
    "carrom.debts_paid": (
        "what was owed for a striker goes back to the centre: {back}; down are {down}"
    ),
    "carrom.shoots_again/earned": "{who} shoots again",
    "carrom.shoots_again/untouched": "the break touched nothing, so {who} breaks again",
    "carrom.turn_passed/no_own_coin": "next is {who}",
    "carrom.turn_passed/foul": "the foul ends the turn; next is {who}",
    "carrom.turn_passed/left": "next is {who}",
    "carrom.queen_returned": "the queen, which nobody covered, goes back to the centre",
    "carrom.seat_left": "{who} gives up the board",
    "carrom.board_won/all_down": "{colour} has all coins down and wins the board: {who}{brings}",
    "carrom.board_won/last_coin": (
        "a last coin fell too early, so {colour} wins the board: {who}{brings}"
    ),
    "carrom.board_won/left": "{colour} wins the board, since the others left: {who}{brings}",
    "carrom.match_won/score": "the match is won by {one} to {other}: {who}",
    "carrom.match_won/left": "the match is won, since the others left, at {one} to {other}: {who}",
    "carrom.points_won/all_down": "all coins are down: {places}",
    "carrom.points_won/last_coin": "a last coin fell too early, and ends the board: {places}",
    "carrom.points_won/left": "the others left: {places}",
}
ENGLISH_TERMS: Final = {
    "game/carrom": "Carrom",
    "carrom.seat/0": "south",
    "carrom.seat/1": "east",
    "carrom.seat/2": "north",
    "carrom.seat/3": "west",
    "option/mode": "what is played for",
    "option/point_values": "points for black, white and queen",
    "option/match": "boards of a match",
    "option/queen": "queen",
    "option/queen_after_first": "queen after a first coin alone",
    "option/coins_each": "coins of each colour",
    "option/same_shot_cover": "cover in the queen's own shot",
    "option/early_queen_turn": "turn after an early queen",
    "option/first_with_queen": "queen with the first coin",
    "option/opponent_coin": "coins of the opponent",
    "option/striker_penalty": "coins to give back for the striker",
    "option/striker_debt": "debts for the striker",
    "option/striker_with_own": "striker and own coin in one shot",
    "option/striker_with_opponent": "striker and the opponent's coin in one shot",
    "option/last_coin_early": "a last coin before the queen",
    "option/aim_guide": "aiming line",
    "option/back_shot": "shots back",
    "option/board_speed": "board",
    "option/cut_moon": "striker on the red in part",
    "option/break_tries": "tries at the break",
    "option/bot_level": "how well bots shoot",
    "option/physics_version": "version of the physics",
    "carrom.colour/white": "white",
    "carrom.colour/black": "black",
    "carrom.piece/striker": "the striker",
    "carrom.piece/queen": "the queen",
    "carrom.piece/white": "white {number}",
    "carrom.piece/black": "black {number}",
    "carrom.down": "{white} white and {black} black",
    "carrom.down/points": "{down} by seat (points {points})",
    "carrom.brings": "; it brings {points}",
    "carrom.brings/nothing": "",
    "carrom.rank": "{place}. {who} with {points} points",
    "carrom.back": "; back to the centre: {pieces}",
    "carrom.queen/board": "on the board",
    "carrom.queen/held": "down too early, until the turn is over",
    "carrom.queen/pending": "down and to be covered",
    "carrom.queen/covered": "covered",
}

ARABIC: Final = {
    "carrom.board_laid/colours": "رُصّت اللوحة {board}: الأبيض {white}، والأسود {black}؛ ويبدأ {who}",
    "carrom.board_laid/points": "رُصّت اللوحة {board}، وكل يلعب لنقاطه؛ ويبدأ {who}",
    "carrom.striker_shot/chosen": (
        "ضرب {who} من بعد {x} مم عن الوسط، في الاتجاه ({dx}, {dy})، بسرعة {speed} م/ث"
    ),
    "carrom.striker_shot/clock": (
        "ضربت اللعبة عن {who} من بعد {x} مم عن الوسط، في الاتجاه ({dx}, {dy})، بسرعة {speed} م/ث"
    ),
    "carrom.striker_blocked": "لا مكان لمضرب {who} بين القطع: لا ضربة",
    "carrom.discs_rested/none": "لم يسقط شيء، وسكن كل شيء بعد {seconds} ثانية",
    "carrom.discs_rested/some": "سقط {fell}، وسكن كل شيء بعد {seconds} ثانية",
    "carrom.shot_judged/sound": ("لا خطأ (الصف {row}){back}؛ في الجيوب {down}، والملكة {queen}"),
    "carrom.shot_judged/striker": (
        "خطأ: سقط المضرب (الصف {row}){back}؛ في الجيوب {down}، والملكة {queen}"
    ),
    "carrom.shot_judged/last_own": (
        "خطأ: سقطت آخر قطعة للاعب قبل تغطية الملكة (الصف {row}){back}؛ في الجيوب {down}، والملكة "
        "{queen}"
    ),
    "carrom.shot_judged/last_other": (
        "خطأ: سقطت آخر قطعة للخصم قبل تغطية الملكة (الصف {row}){back}؛ في الجيوب {down}، والملكة "
        "{queen}"
    ),
    "carrom.shot_judged/last_of_both": (
        "خطأ: سقطت آخر قطعة للطرفين قبل تغطية الملكة (الصف {row}){back}؛ في الجيوب {down}، والملكة "
        "{queen}"
    ),
    "carrom.shot_judged/other_coin": (
        "خطأ: سقطت قطعة للخصم (الصف {row}){back}؛ في الجيوب {down}، والملكة {queen}"
    ),
    "carrom.debts_paid": ("يعود إلى الوسط ما كان مستحقًا لسقوط المضرب: {back}؛ في الجيوب {down}"),
    "carrom.shoots_again/earned": "يضرب {who} مرة أخرى",
    "carrom.shoots_again/untouched": "لم تلمس ضربة البداية شيئًا، فيبدأ {who} مرة أخرى",
    "carrom.turn_passed/no_own_coin": "الدور إلى {who}",
    "carrom.turn_passed/foul": "الخطأ ينهي الدور: الدور إلى {who}",
    "carrom.turn_passed/left": "الدور إلى {who}",
    "carrom.queen_returned": "تعود الملكة إلى الوسط إذ لم يغطها أحد",
    "carrom.seat_left": "ترك {who} اللوحة",
    "carrom.board_won/all_down": "أسقط {colour} قطعه كلها وفاز باللوحة: {who}{brings}",
    "carrom.board_won/last_coin": "سقطت آخر قطعة قبل أوانها ففاز {colour} باللوحة: {who}{brings}",
    "carrom.board_won/left": "فاز {colour} باللوحة لمغادرة الطرف الآخر: {who}{brings}",
    "carrom.match_won/score": "انتهت المباراة {one} مقابل {other} وفاز: {who}",
    "carrom.match_won/left": "انتهت المباراة لمغادرة الطرف الآخر، {one} مقابل {other}، وفاز: {who}",
    "carrom.points_won/all_down": "سقطت القطع كلها: {places}",
    "carrom.points_won/last_coin": "سقطت آخر قطعة قبل أوانها فانتهت اللوحة: {places}",
    "carrom.points_won/left": "غادر الآخرون: {places}",
}
ARABIC_TERMS: Final = {
    "game/carrom": "كيرم",
    "carrom.seat/0": "الجنوب",
    "carrom.seat/1": "الشرق",
    "carrom.seat/2": "الشمال",
    "carrom.seat/3": "الغرب",
    "option/mode": "ما يُلعب له",
    "option/point_values": "نقاط السوداء والبيضاء والملكة",
    "option/match": "لوحات المباراة",
    "option/queen": "الملكة",
    "option/queen_after_first": "الملكة بعد أول قطعة فقط",
    "option/coins_each": "قطع كل لون",
    "option/same_shot_cover": "التغطية في ضربة الملكة نفسها",
    "option/early_queen_turn": "الدور بعد ملكة سقطت قبل أوانها",
    "option/first_with_queen": "الملكة مع أول قطعة",
    "option/opponent_coin": "قطع الخصم",
    "option/striker_penalty": "القطع المعادة لسقوط المضرب",
    "option/striker_debt": "دين المضرب",
    "option/striker_with_own": "سقوط المضرب مع قطعة للاعب",
    "option/striker_with_opponent": "سقوط المضرب مع قطعة للخصم",
    "option/last_coin_early": "آخر قطعة قبل الملكة",
    "option/aim_guide": "خط التصويب",
    "option/back_shot": "الضرب إلى الوراء",
    "option/board_speed": "اللوحة",
    "option/cut_moon": "المضرب على جزء من الحمراء",
    "option/break_tries": "محاولات ضربة البداية",
    "option/bot_level": "مهارة اللاعبين الآليين",
    "option/physics_version": "إصدار الفيزياء",
    "carrom.colour/white": "الأبيض",
    "carrom.colour/black": "الأسود",
    "carrom.piece/striker": "المضرب",
    "carrom.piece/queen": "الملكة",
    "carrom.piece/white": "الأبيض {number}",
    "carrom.piece/black": "الأسود {number}",
    "carrom.down": "{white} بيضاء و{black} سوداء",
    "carrom.down/points": "{down} بحسب المقاعد (النقاط {points})",
    "carrom.brings": "؛ وله بها {points}",
    "carrom.brings/nothing": "",
    "carrom.rank": "{place}. {who} وله {points} نقطة",
    "carrom.back": "؛ تعود إلى الوسط: {pieces}",
    "carrom.queen/board": "على اللوحة",
    "carrom.queen/held": "ساقطة قبل أوانها حتى ينتهي الدور",
    "carrom.queen/pending": "ساقطة وتنتظر التغطية",
    "carrom.queen/covered": "مغطاة",
}
