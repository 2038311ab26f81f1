// @ts-check
/**
 * Elements from data. Text is only ever text here: nothing that a player wrote can become markup,
 * and no file of the page parses any.
 */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {{[name: string]: unknown}} Props */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element. `on..` props are listeners, `class` its classes, others attributes:
 * true sets one without a value, false and null none.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  dress(element, props, children);
  return element;
}

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Props | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, props, ...children) {
  const element = document.createElementNS(SVG, tag);
  dress(element, props, children);
  return element;
}

/**
 * Put new children in place of the old ones.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * The same; and the focus stays with what has the same id as before.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function refill(element, ...children) {
  const had = element.contains(document.activeElement) ? document.activeElement?.id : "";
  fill(element, ...children);
  if (had) document.getElementById(had)?.focus({ preventScroll: true });
}

/**
 * A player's name: text that keeps its own direction.
 * @param {string} nickname
 */
export function name(nickname) {
  return h("bdi", { class: "name" }, nickname);
}

/**
 * @param {Element} element
 * @param {Props | null | undefined} props
 * @param {(Child | Child[])[]} children
 */
function dress(element, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key.startsWith("on") && typeof value === "function") {
      element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (key.startsWith("aria-") && typeof value === "boolean") {
      element.setAttribute(key, String(value)); // there "false" says something, as "true" does
    } else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(key, String(value));
    }
  }
  element.append(...nodes(children));
}

/** @param {(Child | Child[])[]} children */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}
