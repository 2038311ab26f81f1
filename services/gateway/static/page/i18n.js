// @ts-check
/**
 * Words, numbers and plurals in the language of this device: Arabic unless it chose another.
 *
 * A language is one file in `/lang/`, a tree of texts by key: `t("lobby.play")` is `lobby: {play}`.
 * `{name}` in a text is filled in; what is filled in keeps its own direction. A text that depends on
 * a number is an object by plural category (`one`, `two`, `few`, `many`, `other`), chosen by
 * `{count}`.
 */

/** @typedef {{[key: string]: string | Words}} Words */
/** @typedef {{[name: string]: string | number}} Filling */

export const LANGUAGES = /** @type {const} */ ({
  ar: { dir: "rtl", name: "العربية", numbers: "ar-u-nu-arab" },
  en: { dir: "ltr", name: "English", numbers: "en" },
});
/** @typedef {keyof typeof LANGUAGES} Language */

const KEPT = "sahrat.language";
const [ISOLATE, END] = ["\u2068", "\u2069"]; // a name in another direction turns nothing round

/** @type {Language} */
let language = "ar";
/** @type {Words} */
let words = {};
let plurals = new Intl.PluralRules("ar");
let numbers = new Intl.NumberFormat(LANGUAGES.ar.numbers);
/** @type {Set<() => void>} */
const listeners = new Set();

/** Load the language of this device. To be awaited before the first `t`. */
export async function start() {
  await speak(document.documentElement.lang === "en" ? "en" : "ar");
}

/**
 * Speak another language from now on, keep it on the device, and tell whoever listens.
 * @param {Language} chosen
 */
export async function change(chosen) {
  await speak(chosen);
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    // a browser that keeps nothing: the choice holds for this page
  }
  for (const listener of listeners) listener();
}

/** @param {Language} chosen */
async function speak(chosen) {
  words = (await import(`/lang/${chosen}.js`)).default;
  language = chosen;
  plurals = new Intl.PluralRules(chosen);
  numbers = new Intl.NumberFormat(LANGUAGES[chosen].numbers);
  document.documentElement.lang = chosen;
  document.documentElement.dir = LANGUAGES[chosen].dir;
}

/**
 * Call something whenever the language has changed; returns how to stop that.
 * @param {() => void} listener
 */
export function onChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Return the language that is spoken. */
export function spoken() {
  return language;
}

/**
 * Return a text. An unknown key is shown as it is: a test holds that there is none.
 * @param {string} key
 * @param {Filling} [filling]
 */
export function t(key, filling = {}) {
  const found = lookUp(key);
  const text = typeof found === "object" ? plural(found, filling.count) : found;
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = filling[name];
    if (value === undefined) return all;
    return typeof value === "number" ? number(value) : `${ISOLATE}${value}${END}`;
  });
}

/**
 * Tell whether there is such a text: for what other sides name, as reasons and options.
 * @param {string} key
 */
export function has(key) {
  return lookUp(key) !== undefined;
}

/** @param {string} key */
function lookUp(key) {
  /** @type {string | Words | undefined} */
  let at = words;
  for (const part of key.split(".")) {
    if (typeof at !== "object" || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

/**
 * @param {Words} forms
 * @param {string | number | undefined} count
 */
function plural(forms, count) {
  const form = forms[plurals.select(Number(count))] ?? forms.other;
  return typeof form === "string" ? form : undefined;
}

/**
 * Return a number as it is written.
 * @param {number} value
 */
export function number(value) {
  return numbers.format(value);
}

/**
 * Return a change of a number, with its sign.
 * @param {number} value
 */
export function signed(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${number(Math.abs(value))}`;
}

/**
 * Return a moment as people say it.
 * @param {number} ms Since 1970.
 */
export function moment(ms) {
  const form = { dateStyle: "medium", timeStyle: "short" };
  const options = /** @type {Intl.DateTimeFormatOptions} */ (form);
  return new Intl.DateTimeFormat(`${LANGUAGES[language].numbers}`, options).format(ms);
}
