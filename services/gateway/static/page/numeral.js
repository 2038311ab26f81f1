// @ts-check
/** A field for a whole number: written as the language writes numbers, read in whatever digits. */
import { h } from "/page/dom.js";
import { number, t } from "/page/i18n.js";

const ZEROS = [0x30, 0x660, 0x6f0]; // 0, \u0660, \u06f0: the digits of the languages that are typed here

/**
 * The number that is written in a text; NaN where it is none.
 * @param {string} text
 */
export function whole(text) {
  const plain = [...text.trim()].map((one) => {
    const code = /** @type {number} */ (one.codePointAt(0));
    const zero = ZEROS.find((from) => code >= from && code < from + 10);
    return zero === undefined ? one : String(code - zero);
  });
  const digits = plain.join("").replace(/[,\u066c\u060c]/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : NaN;
}

/**
 * @param {{id: string, min: number, max: number, value: number, changed?: () => void}} about
 * @returns {{input: HTMLInputElement, value: () => number}} `value` is NaN where there is none.
 */
export function numeral({ id, min, max, value, changed }) {
  const read = () => {
    const found = whole(input.value);
    return found >= min && found <= max ? found : NaN;
  };
  const check = () => {
    input.setCustomValidity(Number.isNaN(read()) ? t("numeral", { min, max }) : "");
    changed?.();
  };
  const input = h("input", { id, type: "text", inputmode: "numeric", autocomplete: "off", class: "numbers", value: number(value), oninput: check });
  return { input, value: read };
}
