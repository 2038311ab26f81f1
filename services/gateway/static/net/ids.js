// @ts-check
/** Numbers that nobody can foresee, from the device's good random source. */

/** Return a random number of 64 bits, as the decimal text that the protocol wants. */
export function number64() {
  return crypto.getRandomValues(new BigUint64Array(1))[0].toString();
}

/**
 * Return a UUIDv7 of a moment.
 * @param {number} ms By the house's time.
 */
export function uuid7(ms) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let rest = Math.floor(ms);
  for (let at = 5; at >= 0; at -= 1) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
