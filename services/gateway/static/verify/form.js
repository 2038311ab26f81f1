// @ts-check
/**
 * A record's bytes to a record: only if the house would have written these very bytes. What one
 * reader could understand otherwise than another, a key twice or an escape, is nothing of the
 * house's, and a number that JavaScript would round never gets through.
 */

import { FORMS, RECORD_BYTES } from "./forms.js";

/**
 * What a value may look like: exactly one of these.
 * @typedef {object} Form
 * @property {Record<string, Form>} [fields] An object with all of these, in this order.
 * @property {string} [names] An object whose names fit this pattern, ..
 * @property {Form} [values] .. and whose values have this form.
 * @property {Form} [list] A list of such.
 * @property {string} [text] A text that fits this pattern; of `most` characters at most.
 * @property {number} [bits] The number that the text is has no more.
 * @property {unknown[]} [one_of] One of these values.
 * @property {string} [as] What has this name among the forms.
 * @property {Form[]} [any] Any of these forms.
 * @property {Record<string, string>} [by_type] The one that its `type` says.
 * @property {number} [least] Of a number, or of how many.
 * @property {number} [most]
 */

/** @typedef {Record<string, any> & {type: string}} Event */

/**
 * One accepted intent's events.
 * @typedef {object} MatchRecord
 * @property {string} match_id
 * @property {number} seq 1, 2, 3 .. within the match.
 * @property {number} at_ms
 * @property {{intent_id: string, sender: string, partition: number, offset: number, at_ms: number}}
 *   caused_by
 * @property {string} rules Game and rules version.
 * @property {string} prev The digest of the record before.
 * @property {Event[]} events
 */

/** @typedef {{record: MatchRecord} | {fault: "unreadable" | "otherBytes"}} Read */

const TEXT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BYTES = new TextEncoder();

/**
 * Return the record that a line is, or why it is none.
 * @param {Uint8Array} line
 * @returns {Read}
 */
export function read(line) {
  if (line.length > RECORD_BYTES) return { fault: "unreadable" };
  let value;
  try {
    value = JSON.parse(TEXT.decode(line));
  } catch {
    return { fault: "unreadable" }; // no UTF-8, no JSON, or nested too deep
  }
  if (!fits(value, FORMS.Record)) return { fault: "unreadable" };
  if (!inOrder(value, FORMS.Record) || !same(BYTES.encode(JSON.stringify(value)), line)) {
    return { fault: "otherBytes" };
  }
  return { record: value };
}

/**
 * Tell whether a value has a form, whatever the order of its fields.
 * @param {any} value
 * @param {Form} form
 * @returns {boolean}
 */
function fits(value, form) {
  const plain = resolved(value, form);
  if (plain === null) return false;
  const { least = 0, most = 0 } = plain;
  if (plain.any) return plain.any.some((one) => fits(value, one));
  if (plain.one_of) return plain.one_of.includes(value);
  if (plain.text !== undefined) return typeof value === "string" && isText(value, plain);
  if (plain.list) {
    const { list } = plain;
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    return value.every((one) => fits(one, list));
  }
  if (plain.fields) {
    const { fields } = plain;
    if (!isObject(value) || !Object.keys(value).every((name) => Object.hasOwn(fields, name))) {
      return false;
    }
    // A field that is not there was never left out by the house: that is for its bytes to tell.
    return Object.keys(value).every((name) => fits(value[name], fields[name]));
  }
  if (plain.values) {
    const { values, names } = plain;
    const keys = isObject(value) ? Object.keys(value) : null;
    return (
      keys !== null &&
      keys.length <= most &&
      keys.every((name) => pattern(names ?? "").test(name) && fits(value[name], values))
    );
  }
  return Number.isInteger(value) && value >= least && value <= most;
}

/**
 * Tell whether an object that fits has all its fields, in the order in which the house writes them.
 * @param {any} value
 * @param {Form} form
 * @returns {boolean}
 */
function inOrder(value, form) {
  const plain = resolved(value, form);
  if (plain?.any) return plain.any.some((one) => fits(value, one) && inOrder(value, one));
  if (plain?.list) {
    const { list } = plain;
    return list.as || list.by_type ? value.every((/** @type {any} */ one) => inOrder(one, list)) : true;
  }
  if (!plain?.fields) return true;
  const keys = Object.keys(value);
  const due = Object.entries(plain.fields);
  return (
    keys.length === due.length &&
    due.every(([name, part], at) => keys[at] === name && inOrder(value[name], part))
  );
}

/**
 * Return the form that another one names; null where the value says none.
 * @param {any} value
 * @param {Form} form
 * @returns {Form | null}
 */
function resolved(value, form) {
  if (form.as !== undefined) return FORMS[form.as];
  if (!form.by_type) return form;
  const type = isObject(value) ? value.type : null;
  const known = typeof type === "string" && Object.hasOwn(form.by_type, type);
  return known ? FORMS[form.by_type[type]] : null;
}

/**
 * @param {string} value
 * @param {Form} form
 */
function isText(value, { text = "", most = 0, bits }) {
  if (value.length > 2 * most || !pattern(text).test(value) || /\p{Surrogate}/u.test(value)) {
    return false;
  }
  if (value.length > most && [...value].length > most) return false;
  return bits === undefined || value === "" || BigInt(value) < 1n << BigInt(bits);
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @type {Map<string, RegExp>} */
const PATTERNS = new Map();

/** @param {string} text */
function pattern(text) {
  let found = PATTERNS.get(text);
  if (!found) PATTERNS.set(text, (found = new RegExp(text, "u")));
  return found;
}

/**
 * Tell whether two are the same bytes.
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
export function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
