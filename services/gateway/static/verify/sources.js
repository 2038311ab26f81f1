// @ts-check
/**
 * Where a match's records come from: the house, by the match's id, or a file. What was loaded once is
 * kept for as long as the page is open, so that it can be checked again with the network cut.
 */

import { split } from "./lines.js";

/**
 * Why there is nothing to check.
 * @typedef {"noId" | "notFound" | "offline" | "away" | "notRecords" | "emptyFile" | "tooLarge"}
 *   Failure
 */

/** @typedef {{name: string, lines: Uint8Array[], kept: boolean}} Loaded `kept`: not asked for anew. */

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const PATIENCE_MS = 60_000; // for all of a match, over a slow line
const FILE_BYTES = 64 * 1024 * 1024; // no match that was ever played came near it

/** @type {Map<string, Uint8Array[]>} */
const known = new Map();

/**
 * Return the match's id in what somebody wrote or pasted: itself, or a link with it; else empty.
 * @param {string} text
 */
function idIn(text) {
  return ID.exec(text)?.[0].toLowerCase() ?? "";
}

/**
 * Return what an address asks for, as `#ID` or `#ID&head=DIGEST`: a match, and the digest of the last
 * record that its reader saw.
 * @param {string} address
 */
export function asked(address) {
  const head = /[#&?]head=([0-9a-f]{64})(?![0-9a-z])/i.exec(address)?.[1].toLowerCase() ?? "";
  return { id: idIn(address), head };
}

/**
 * Return a match's records from the house, or why not.
 * @param {string} id
 * @returns {Promise<Loaded | Failure>}
 */
export async function fromHouse(id) {
  if (id === "") return "noId";
  let answer;
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`/api/matches/${id}/records`, { cache: "no-store", signal });
    if (response.status === 404) return "notFound";
    answer = response.ok ? new Uint8Array(await response.arrayBuffer()) : null;
  } catch {
    answer = undefined; // no line, or one that was cut: half of a match is none
  }
  const before = known.get(id);
  if (!answer) {
    if (before) return { name: id, lines: before, kept: true };
    return answer === null ? "away" : "offline";
  }
  const lines = split(answer);
  known.set(id, lines);
  return { name: id, lines, kept: false };
}

/**
 * Return the records of a file, or why there are none.
 * @param {File} file
 * @returns {Promise<Loaded | Failure>}
 */
export async function fromFile(file) {
  if (file.size > FILE_BYTES) return "tooLarge";
  try {
    const data = new Uint8Array(await file.arrayBuffer());
    return data.length ? { name: file.name, lines: split(data), kept: false } : "emptyFile";
  } catch {
    return "notRecords"; // a folder, or a file that may not be read
  }
}

/**
 * Return records as a file that `sahrat verify` reads.
 * @param {Uint8Array[]} lines
 */
export function asFile(lines) {
  const parts = /** @type {BlobPart[]} */ (lines.flatMap((line) => [line, "\n"]));
  return new Blob(parts, { type: "application/x-ndjson" });
}
