// @ts-check
/**
 * How the pot of a coin table is shared out: rules M.5 to M.7 of `shared/sahrat/match/rules.md`. Whole
 * coins; entries are so small that nothing here comes near 2^53.
 */

const FEE_DIVISOR = 10; // M.5: a tenth of the pot, rounded down
const SECOND_PERCENT = 30; // M.6: of the net, rounded down; the first takes what remains
const WITH_A_SECOND = 3; // M.6: two players have one prize

/** @typedef {[seat: number, coins: number]} Share */

/**
 * Return who wins how much of a pot, best place first, and the house's part.
 * @param {number} pot All entries, those of leavers too.
 * @param {[number, number][]} places (seat, place) of the seats that have one; partners share theirs, and
 *   whoever drew.
 * @param {Set<number>} gone Seats that left before they had a place: they win nothing.
 * @returns {{fee: number, prizes: Share[]}}
 */
export function split(pot, places, gone) {
  const fee = Math.floor(pot / FEE_DIVISOR);
  const net = pot - fee;
  const staying = places.filter(([seat]) => !gone.has(seat));
  staying.sort(([oneSeat, one], [otherSeat, other]) => one - other || oneSeat - otherSeat);
  const best = staying.filter(([, place]) => place === staying[0][1]).map(([seat]) => seat);
  const behind = staying.slice(best.length);
  const first = Math.min(...places.map(([, place]) => place));
  const firsts = places.filter(([, place]) => place === first).length;
  if (firsts > 1 || places.length < WITH_A_SECOND || behind.length === 0) {
    return { fee, prizes: shared(net, best) };
  }
  const second = Math.floor((net * SECOND_PERCENT) / 100);
  const next = behind.filter(([, place]) => place === behind[0][1]).map(([seat]) => seat);
  return { fee, prizes: [[best[0], net - second], ...shared(second, next)] };
}

/**
 * Share equally among seats in ascending order; the odd coins go to the lowest ones.
 * @param {number} coins
 * @param {number[]} seats
 * @returns {Share[]}
 */
function shared(coins, seats) {
  const each = Math.floor(coins / seats.length);
  return seats.map((seat, at) => [seat, each + (at < coins % seats.length ? 1 : 0)]);
}
