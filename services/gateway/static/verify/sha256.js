// @ts-check
/**
 * SHA-256 and HMAC-SHA-256, at once and without the browser's own: a page that came over plain http
 * has no `crypto.subtle`, and a check that can be read is worth more to whoever doubts the dice.
 *
 * Sources: FIPS 180-4 (SHA-256), RFC 2104 (HMAC). Tests hold both to the standards' own vectors.
 */

const BLOCK = 64; // bytes that are mixed in at once
const SIZE = 32; // bytes of a digest

/** The first 32 bits of what follows the point in the cube roots of the first 64 primes. */
const ROUNDS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

/** The same of the square roots of the first eight primes: what a digest starts as. */
const START = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);

/**
 * Return the SHA-256 of some bytes: 32 bytes.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function sha256(bytes) {
  const padded = withItsLength(bytes);
  const state = START.slice();
  const words = new Int32Array(64);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += BLOCK) {
    for (let t = 0; t < 16; t++) words[t] = view.getInt32(at + 4 * t);
    expand(words);
    mix(state, words);
  }
  const digest = new DataView(new ArrayBuffer(SIZE));
  state.forEach((word, t) => digest.setInt32(4 * t, word));
  return new Uint8Array(digest.buffer);
}

/**
 * Return the HMAC-SHA-256 of some bytes under a key of any length: 32 bytes.
 * @param {Uint8Array} key
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
export function hmacSha256(key, bytes) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const inner = new Uint8Array(BLOCK + bytes.length).fill(0x36, 0, BLOCK);
  const outer = new Uint8Array(BLOCK + SIZE).fill(0x5c, 0, BLOCK);
  short.forEach((byte, at) => {
    inner[at] ^= byte;
    outer[at] ^= byte;
  });
  inner.set(bytes, BLOCK);
  outer.set(sha256(inner), BLOCK);
  return sha256(outer);
}

/**
 * Return bytes as lower-case hex.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Return the bytes that hex stands for; null for a text that is not hex, two digits a byte.
 * @param {string} text
 * @returns {Uint8Array | null}
 */
export function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/**
 * Return a message as whole blocks: a one bit, zeros, and its length in bits (5.1.1).
 * @param {Uint8Array} bytes
 */
function withItsLength(bytes) {
  const padded = new Uint8Array(BLOCK * (Math.floor((bytes.length + 8) / BLOCK) + 1));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return padded;
}

/**
 * Make the 64 words of a block from its 16 (6.2.2, step 1).
 * @param {Int32Array} words
 */
function expand(words) {
  for (let t = 16; t < 64; t++) {
    const a = words[t - 15];
    const b = words[t - 2];
    const small = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const large = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    words[t] = words[t - 16] + small + words[t - 7] + large;
  }
}

/**
 * Mix a block's words into the state (6.2.2, steps 2 to 4).
 * @param {Int32Array} state
 * @param {Int32Array} words
 */
function mix(state, words) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const sumOfE = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + sumOfE + chosen + ROUNDS[t] + words[t]) | 0;
    const sumOfA = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const most = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + sumOfA + most) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, t) => {
    state[t] += word;
  });
}

/**
 * Turn a word to the right.
 * @param {number} word
 * @param {number} by
 */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}
