// @ts-check
/**
 * Fair dice, recomputed: rule D of `shared/sahrat/match/rules.md`, to the byte. Everything random in
 * a match is an HMAC-SHA256 under its secret, of a text that this gives back with the result, so that
 * whoever doubts can compute it with a program of his own.
 */

import { hex, hmacSha256, sha256 } from "./sha256.js";

const BYTES = new TextEncoder();
const BYTE_VALUES = 256;
const FACES = 6;

/**
 * How a number was drawn.
 * @typedef {object} Drawn
 * @property {number} value
 * @property {string} text What the HMAC is of; `{j}` stands for the number of the block.
 * @property {string} block The first block, in hex.
 * @property {number} byte The byte that counted.
 * @property {number} skipped How many bytes before it were passed over.
 */

/**
 * Return the commitment to a secret, as the match's first event has it; and what it is the digest of.
 * @param {string} secret In hex.
 * @param {string} matchId
 */
export function commitment(secret, matchId) {
  const text = `sahrat-commit-v1|${matchId}|${secret}`;
  return { text, digest: hex(sha256(BYTES.encode(text))) };
}

/**
 * Return who gets which seat: entry k says which sitter, by order of sitting down, has the k-th seat.
 * @param {Uint8Array} secret
 * @param {string} matchId
 * @param {string[]} numbers Of the seats, in the order of sitting down.
 */
export function deal(secret, matchId, numbers) {
  const head = `sahrat-deal-v1|${matchId}|${numbers.join(".")}|`;
  const drawn = bytes(secret, head);
  const dealt = numbers.map((_, at) => at);
  for (let last = dealt.length - 1; last > 0; last--) {
    const other = next(drawn, last + 1).value;
    [dealt[last], dealt[other]] = [dealt[other], dealt[last]];
  }
  return { dealt, text: `${head}{j}` };
}

/** The chance of one match. */
export class Chance {
  /**
   * @param {Uint8Array} secret
   * @param {string} matchId
   * @param {string[]} numbers Of the seats as they were occupied when play began, in their order.
   */
  constructor(secret, matchId, numbers) {
    this.secret = secret;
    this.matchId = matchId;
    this.numbers = numbers.join(".");
  }

  /**
   * Return the face 1..6 of a roll.
   * @param {number} index
   * @param {number} seat
   * @param {string} number The player's own for this roll; empty for none.
   * @returns {Drawn}
   */
  die(index, seat, number) {
    const head = this.roll(index, seat, number);
    const drawn = next(bytes(this.secret, head), FACES);
    return this.told(head, { ...drawn, value: drawn.value + 1 });
  }

  /**
   * Return how many of six or seven shells lie mouth up: one bit a shell, the lowest ones.
   * @param {number} index
   * @param {number} seat
   * @param {string} number
   * @param {number} shells
   * @returns {Drawn}
   */
  cowries(index, seat, number, shells) {
    const head = this.roll(index, seat, number);
    const byte = mac(this.secret, `${head}0`)[0];
    let value = 0;
    for (let shell = 0; shell < shells; shell++) value += (byte >> shell) & 1;
    return this.told(head, { value, byte, skipped: 0 });
  }

  /**
   * Return one of 0 .. among - 1, which no roll has any part in: who starts (rule D.9).
   * @param {number} among
   * @returns {Drawn}
   */
  lot(among) {
    const head = `sahrat-start-v1|${this.matchId}|${this.numbers}|`;
    return this.told(head, next(bytes(this.secret, head), among));
  }

  /**
   * @param {number} index
   * @param {number} seat
   * @param {string} number
   */
  roll(index, seat, number) {
    return `sahrat-roll-v1|${this.matchId}|${index}|${seat}|${number}|${this.numbers}|`;
  }

  /**
   * @param {string} head
   * @param {{value: number, byte: number, skipped: number}} drawn
   */
  told(head, drawn) {
    return { ...drawn, text: `${head}{j}`, block: hex(mac(this.secret, `${head}0`)) };
  }
}

/**
 * @param {Uint8Array} secret
 * @param {string} text
 */
function mac(secret, text) {
  return hmacSha256(secret, BYTES.encode(text));
}

/**
 * Yield the bytes of the blocks, one block after the other.
 * @param {Uint8Array} secret
 * @param {string} head
 * @returns {Generator<number, never>}
 */
function* bytes(secret, head) {
  for (let j = 0; ; j++) yield* mac(secret, `${head}${j}`);
}

/**
 * Take bytes until one is below the largest multiple of `choices`, and return its remainder: the ones
 * above would favour the low numbers.
 * @param {Generator<number, never>} drawn
 * @param {number} choices
 */
function next(drawn, choices) {
  const limit = BYTE_VALUES - (BYTE_VALUES % choices);
  for (let skipped = 0; ; skipped++) {
    const byte = drawn.next().value;
    if (byte < limit) return { value: byte % choices, byte, skipped };
  }
}
