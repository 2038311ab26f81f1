// @ts-check
/**
 * The lines of a match as they are stored, before any is understood: taken out of a file, and their
 * chain followed. What is said of a break in the chain is what `sahrat verify` says of it.
 */

import { same } from "./form.js";
import { hex, sha256 } from "./sha256.js";

/**
 * What does not fit: a word for it, the record that it is about, and what its text tells besides.
 * @typedef {{code: string, record: number} & Record<string, string | number>} Problem
 */

/** @typedef {{digest: string, prev: string, seq: string}} Link */

export const GENESIS = "0".repeat(64); // `prev` of a match's first record

const LF = 0x0a;
const CR = 0x0d;
const BEGINNING = '{"v":';
const CONTINUES = '"prev":"';
const ASCII = new TextDecoder("latin1"); // a character a byte: what is looked for is ASCII

/**
 * Return the records of a file, each exactly as it was stored if nothing was changed.
 *
 * How lines end is the file's affair: one line break at its very end, CR before all of them. A line
 * that neither begins as a record does nor names a digest was cut off the one before by a line break
 * inside it: it stays part of that one, which then does not fit.
 * @param {Uint8Array} data
 * @returns {Uint8Array[]}
 */
export function split(data) {
  const ends = breaks(data);
  const wide = ends.length > 0 && ends.every((at) => at > 0 && data[at - 1] === CR);
  /** @type {[number, number][]} */
  const spans = [];
  let start = 0;
  for (const end of [...ends, data.length]) {
    const stop = wide && end < data.length ? end - 1 : end;
    const last = end === data.length;
    if (!(last && start === end && ends.length > 0)) {
      if (spans.length && !begins(data.subarray(start, stop))) spans[spans.length - 1][1] = stop;
      else spans.push([start, stop]);
    }
    start = end + 1;
  }
  return spans.map(([from, to]) => data.slice(from, to));
}

/** @param {Uint8Array} data */
function breaks(data) {
  const found = [];
  for (let at = data.indexOf(LF); at !== -1; at = data.indexOf(LF, at + 1)) found.push(at);
  return found;
}

/** @param {Uint8Array} line */
function begins(line) {
  const text = ASCII.decode(line);
  return text.startsWith(BEGINNING) || BEGINNING.startsWith(text) || text.includes(CONTINUES);
}

/**
 * Return what a line says of its place in the chain, looked for and not understood; and its digest.
 * @param {Uint8Array} line
 * @returns {Link}
 */
export function link(line) {
  const text = ASCII.decode(line);
  return {
    digest: hex(sha256(line)),
    prev: found(text, /"prev":"([0-9a-f]{64})"/),
    seq: found(text, /"seq":([1-9][0-9]{0,15})[,}]/),
  };
}

/**
 * Return which match a line says it belongs to, and under which rules.
 * @param {Uint8Array} line
 */
export function heading(line) {
  const text = ASCII.decode(line);
  return {
    matchId: found(text, /"match_id":"([0-9a-f-]{36})"/),
    rules: found(text, /"rules":"([a-z0-9_./-]{1,40})"/),
  };
}

/**
 * @param {string} text
 * @param {RegExp} what
 */
function found(text, what) {
  return what.exec(text)?.[1] ?? "";
}

/**
 * Return what is wrong with the digests; null if nothing is.
 * @param {Uint8Array[]} lines
 * @param {Link[]} links Of each line.
 * @param {string} head The digest of the last record that somebody saw; empty if nobody did.
 * @returns {Problem | null}
 */
export function broken(lines, links, head) {
  const [first] = lines;
  if (first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf) return { code: "bom", record: 1 };
  const due = (/** @type {number} */ at) => (at === 0 ? GENESIS : links[at - 1].digest);
  const fits = links.map(({ prev }, at) => prev === due(at));
  const at = fits.indexOf(false); // counted from 0: this record does not continue the one before
  if (at !== -1) return misplaced(lines, links, fits, at) ?? changed(fits, at);
  if (head !== "" && head !== due(lines.length)) return { code: "head", record: lines.length, head };
  return null;
}

/**
 * Return which record is missing, there twice or out of place where the chain breaks; null if the
 * numbers are as they should be, or may have been changed themselves.
 * @param {Uint8Array[]} lines
 * @param {Link[]} links
 * @param {boolean[]} fits
 * @param {number} at
 * @returns {Problem | null}
 */
function misplaced(lines, links, fits, at) {
  const due = at + 1;
  if (/^[\t-\r ]*$/.test(ASCII.decode(lines[at]))) return { code: "blank", record: due };
  const number = links[at].seq === "" ? due : Number(links[at].seq);
  if (number < due) {
    return same(lines[at], lines[number - 1]) ? { code: "twice", record: number, due } : null;
  }
  const follows = due === lines.length || fits[due]; // so this line is what it was
  if (number === due || !follows) return null;
  if (links.slice(due).some(({ seq }) => seq === String(due))) {
    return { code: "outOfPlace", record: number, due };
  }
  if (number === due + 1) return { code: "missing", record: due };
  return { code: "missingMany", record: due, last: number - 1 };
}

/**
 * Return which record was changed, by which of the digests around it fit.
 * @param {boolean[]} fits
 * @param {number} at
 * @returns {Problem}
 */
function changed(fits, at) {
  if (at === 0) return { code: "notFirst", record: 1 };
  const followed = at + 1 < fits.length;
  if (followed && !fits[at + 1]) return { code: "changed", record: at + 1 };
  if (followed) return { code: "changedBefore", record: at, next: at + 1 };
  return { code: "changedOrNext", record: at, next: at + 1 };
}
