// @ts-check
/** A game's options: their names, a sentence for each, and a form made from the published schema. */
import { h } from "/page/dom.js";
import { has, number, t } from "/page/i18n.js";

/** @typedef {import("/net/protocol.js").Options} Options */
/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const FIRST = ["players", "pawns_to_win", "pawns_out", "step_seconds"]; // asked before the others

/**
 * @param {string} game
 * @param {string} option
 */
function key(game, option) {
  return has(`${game}.option.${option}`) ? `${game}.option.${option}` : `option.${option}`;
}

/**
 * @param {string} game
 * @param {string} option
 */
export function optionName(game, option) {
  const name = `${key(game, option)}.name`;
  return has(name) ? t(name) : option;
}

/**
 * @param {string} game
 * @param {string} option
 * @param {string | number} value
 */
export function valueName(game, option, value) {
  const named = `${key(game, option)}.values.${value}`;
  if (has(named)) return t(named);
  if (has(`value.${value}`)) return t(`value.${value}`);
  return typeof value === "number" ? number(value) : value;
}

/**
 * A game's usual options.
 * @param {GameInfo} game
 * @returns {Options}
 */
export function usual(game) {
  const properties = Object.entries(game.options.properties);
  return Object.fromEntries(properties.map(([name, schema]) => [name, schema.default]));
}

/**
 * A form of all options of a game.
 * @param {GameInfo} game
 * @param {() => void} changed
 * @returns {{element: HTMLElement, chosen: () => Options, conflict: () => string[]}}
 */
export function optionsForm(game, changed) {
  const properties = game.options.properties;
  const names = Object.keys(properties);
  /** @type {Map<string, HTMLSelectElement>} */
  const selects = new Map();
  const field = (/** @type {string} */ name) => {
    const schema = properties[name];
    const select = h(
      "select",
      { id: `option-${name}`, "aria-describedby": `help-${name}`, onchange: changed },
      schema.enum.map((value) =>
        h("option", { value: JSON.stringify(value) }, valueName(game.name, name, value)),
      ),
    );
    select.value = JSON.stringify(schema.default);
    selects.set(name, select);
    return h(
      "div",
      { class: "option" },
      h("label", { for: `option-${name}` }, optionName(game.name, name)),
      select,
      h("p", { class: "soft small", id: `help-${name}` }, t(`${key(game.name, name)}.help`)),
    );
  };
  const others = names.filter((name) => !FIRST.includes(name));
  const element = h(
    "div",
    { class: "stack" },
    h("div", { class: "options" }, FIRST.filter((name) => name in properties).map(field)),
    h(
      "details",
      { class: "more" },
      h("summary", null, t("new.more", { count: others.length })),
      h("div", { class: "options" }, others.map(field)),
    ),
  );
  const chosen = () => {
    /** @type {Options} */
    const options = {};
    for (const [name, select] of selects) options[name] = JSON.parse(select.value);
    return options;
  };
  return { element, chosen, conflict: () => conflict(/** @type {any} */ (game.options), chosen()) };
}

/**
 * The options that do not go together, by the schema: of the first of its conditions that does not
 * hold.
 * @param {{allOf?: any[]}} schema
 * @param {Options} options
 * @returns {string[]}
 */
function conflict(schema, options) {
  for (const rule of schema.allOf ?? []) {
    if (rule.not && fits(rule.not, options)) return Object.keys(rule.not.properties);
    if (rule.if && fits(rule.if, options) && !fits(rule.then, options)) {
      return [...Object.keys(rule.if.properties), ...Object.keys(rule.then.properties)];
    }
  }
  return [];
}

/**
 * @param {{properties: {[name: string]: {const?: unknown, enum?: unknown[]}}}} condition
 * @param {Options} options
 */
function fits(condition, options) {
  return Object.entries(condition.properties).every(([name, wanted]) =>
    wanted.enum ? wanted.enum.includes(options[name]) : wanted.const === options[name],
  );
}

/**
 * A table's options, those that differ from the usual ones first.
 * @param {GameInfo} game
 * @param {Options} options
 */
export function optionsList(game, options) {
  const properties = game.options.properties;
  const differs = (/** @type {string} */ name) => options[name] !== properties[name].default;
  const names = Object.keys(properties).filter((name) => name in options);
  const sorted = [...names.filter(differs), ...names.filter((name) => !differs(name))];
  return h(
    "dl",
    { class: "options-list" },
    sorted.map((name) =>
      h(
        "div",
        { class: differs(name) ? "differs" : "" },
        h("dt", null, optionName(game.name, name)),
        h("dd", null, h("strong", null, valueName(game.name, name, options[name])), " ", h("span", { class: "soft small" }, t(`${key(game.name, name)}.help`))),
      ),
    ),
  );
}

/**
 * What differs from the usual, in a few words each; for lists of tables.
 * @param {GameInfo | null} game
 * @param {Options} options
 */
export function differences(game, options) {
  if (!game) return [];
  return Object.entries(game.options.properties)
    .filter(([name, schema]) => name !== "players" && name in options && options[name] !== schema.default)
    .map(([name]) => `${optionName(game.name, name)}: ${valueName(game.name, name, options[name])}`);
}
