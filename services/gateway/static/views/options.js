// @ts-check
/** A game's options: their names, a sentence for each, and a form made from the published schema. */
import { h, refill } from "/page/dom.js";
import { has, number, t } from "/page/i18n.js";
import { choice } from "/views/choice.js";

/** @typedef {import("/net/protocol.js").Options} Options */
/** @typedef {import("/net/protocol.js").GameInfo} GameInfo */

const FIRST = ["players", "pawns_to_win", "pawns_out", "step_seconds"]; // asked before the others
const OF_BOTS = ["fill_seconds", "bot_level"]; // of no coin table: no bot ever sits there
const SAID = ["players", "fill_seconds"]; // by the list itself
const ASIDE = ["players", "step_seconds", "fill_seconds", "missed_limit"]; // of no preset

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
 * The values that an option may have, smaller numbers first; words keep the order of the schema.
 * @param {import("/net/protocol.js").OptionSchema} schema
 */
export function valuesOf(schema) {
  const rank = (/** @type {string | number} */ value) => (typeof value === "number" ? value : Infinity);
  return [...(schema.enum ?? [schema.default])].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
}

/**
 * How many seats a table has, and whether they are of two sides.
 * @param {Options} options
 */
export function seating({ players, teams, two_colours }) {
  const sides = String(players).split("v");
  const size = sides.reduce((all, side) => all + Number(side), 0);
  return { size, sides: two_colours !== "on" && (sides.length > 1 || teams === "on") };
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
 * The way to play of that name that a table's options are, if it is one; those that every table has
 * in its own way are not looked at.
 * @param {GameInfo} game
 * @param {Options} options
 */
function presetOf(game, options) {
  const all = Object.entries(game.options.properties).filter(([name]) => !ASIDE.includes(name));
  const found = Object.entries(game.options.presets ?? {}).find(([, preset]) =>
    all.every(([name, schema]) => options[name] === (preset[name] ?? schema.default)),
  );
  return found?.[0] ?? null;
}

/**
 * A form of all options of a game. `forCoins` leaves out those that are of no coin table, or not.
 * @param {GameInfo} game
 * @param {() => void} changed
 * @returns {{element: HTMLElement, chosen: () => Options, conflict: () => string[], forCoins: (coins: boolean) => void}}
 */
export function optionsForm(game, changed) {
  const properties = game.options.properties;
  const names = Object.keys(properties).filter((name) => valuesOf(properties[name]).length > 1);
  /** @type {Map<string, HTMLSelectElement>} */
  const selects = new Map();
  const field = (/** @type {string} */ name) => {
    const schema = properties[name];
    const select = h(
      "select",
      { id: `option-${name}`, "aria-describedby": `help-${name}`, onchange: changed },
      valuesOf(schema).map((value) =>
        h("option", { value: JSON.stringify(value) }, valueName(game.name, name, value)),
      ),
    );
    select.value = JSON.stringify(schema.default);
    selects.set(name, select);
    return h(
      "div",
      { class: "option", "data-option": name },
      h("label", { for: `option-${name}` }, optionName(game.name, name)),
      select,
      h("p", { class: "soft small", id: `help-${name}` }, t(`${key(game.name, name)}.help`)),
    );
  };
  const others = names.filter((name) => !FIRST.includes(name));
  const presets = h("div", { class: "stack" });
  const more = h("summary");
  const element = h(
    "div",
    { class: "stack", onchange: () => drawPresets() },
    presets,
    h("div", { class: "options" }, FIRST.filter((name) => name in properties).map(field)),
    h(
      "details",
      { class: "more" },
      more,
      h("div", { class: "options" }, others.map(field)),
    ),
  );
  const chosen = () => {
    /** @type {Options} */
    const options = {};
    for (const [name, select] of selects) options[name] = JSON.parse(select.value);
    return options;
  };
  const drawPresets = () => {
    const ways = Object.entries(game.options.presets ?? {}).sort(([, one], [, other]) => Object.keys(one).length - Object.keys(other).length);
    if (ways.length === 0) return;
    const now = presetOf(game, chosen());
    const among = ways.map(([value]) => ({ value, text: t(`${game.name}.preset.${value}.name`) }));
    const pick = (/** @type {string} */ name) => {
      const preset = game.options.presets?.[name] ?? {};
      for (const [option, select] of selects) {
        if (!ASIDE.includes(option)) select.value = JSON.stringify(preset[option] ?? properties[option].default);
      }
      drawPresets();
      changed();
    };
    refill(
      presets,
      choice(t("new.preset"), "preset", among, now, pick),
      h("p", { class: "soft small" }, t(now ? `${game.name}.preset.${now}.help` : "new.no_preset")),
    );
  };
  const forCoins = (/** @type {boolean} */ coins) => {
    for (const name of OF_BOTS) {
      const bots = element.querySelector(`[data-option=${name}]`);
      if (bots instanceof HTMLElement) bots.hidden = coins;
    }
    more.textContent = t("new.more", { count: others.filter((name) => !coins || !OF_BOTS.includes(name)).length });
  };
  drawPresets();
  forCoins(false);
  return { element, chosen, conflict: () => conflict(/** @type {any} */ (game.options), chosen()), forCoins };
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
 * @param {number} entry In coins; 0: a free table.
 */
export function optionsList(game, options, entry) {
  const properties = game.options.properties;
  const differs = (/** @type {string} */ name) => options[name] !== properties[name].default;
  const names = Object.keys(properties).filter((name) => name in options && !(entry > 0 && OF_BOTS.includes(name)));
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
 * What differs from the usual, in a few words each; for lists of tables, which say how many sit there
 * and who fills the seats by themselves.
 * @param {GameInfo | null} game
 * @param {Options} options
 */
export function differences(game, options) {
  if (!game) return [];
  const preset = presetOf(game, options) ?? "";
  const of = game.options.presets?.[preset] ?? {};
  const named = Object.keys(of).length > 0 ? [t(`${game.name}.preset.${preset}.name`)] : [];
  const differ = Object.entries(game.options.properties)
    .filter(([name, schema]) => !SAID.includes(name) && name in options && options[name] !== (of[name] ?? schema.default))
    .map(([name]) => `${optionName(game.name, name)}: ${valueName(game.name, name, options[name])}`);
  return [...named, ...differ];
}
