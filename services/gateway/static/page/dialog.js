// @ts-check
/** Questions and notes that come before everything else. */
import { h } from "/page/dom.js";
import { t } from "/page/i18n.js";

/** @typedef {import("/page/dom.js").Child} Child */

/**
 * Ask something; true for yes. Escape, and a press outside, is no.
 * @param {{title: string, body: Child[], yes: string, no?: string, bad?: boolean}} question
 * @returns {Promise<boolean>}
 */
export function ask({ title, body, yes, no = t("cancel"), bad = false }) {
  const look = `button ${bad ? "bad" : "main"}`;
  return open(title, body, (close) => [
    h("button", { type: "button", class: look, "data-do": "yes", onclick: () => close("yes") }, yes),
    h("button", { type: "button", class: "button", "data-do": "no", onclick: () => close("") }, no),
  ]);
}

/**
 * Show something until it is closed.
 * @param {string} title
 * @param {Child[]} body
 */
export function show(title, body) {
  return open(title, body, (close) => [
    h("button", { type: "button", class: "button", "data-do": "close", onclick: () => close("") }, t("close")),
  ]);
}

/**
 * @param {string} title
 * @param {Child[]} body
 * @param {(close: (answer: string) => void) => Child[]} buttons
 * @returns {Promise<boolean>}
 */
function open(title, body, buttons) {
  const before = document.activeElement;
  const dialog = h("dialog", { "aria-label": title });
  const close = (/** @type {string} */ answer) => dialog.close(answer);
  dialog.append(
    h("div", { class: "dialog" }, h("h2", { tabindex: -1, autofocus: true }, title), body, h("div", { class: "row" }, buttons(close))),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close("");
  });
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
      done(dialog.returnValue === "yes");
    });
  });
}

/**
 * Say something for a few seconds, without being in the way.
 * @param {string} text
 */
export function toast(text) {
  const said = h("div", { class: "toast" }, text);
  document.getElementById("toasts")?.append(said);
  setTimeout(() => said.remove(), 5_000);
}

/**
 * Say why something was refused.
 * @param {unknown} why
 */
export function refusal(why) {
  toast(reason(why));
}

/**
 * @param {unknown} why
 */
export function reason(why) {
  const named = why instanceof Error && "reason" in why ? String(why.reason) : "fault";
  const key = `refused.${named}`;
  const said = t(key);
  return said === key ? t("refused.other", { reason: named }) : said;
}
