// @ts-check
/**
 * The page that checks a match. Everything it needs is loaded at once, both languages too: from then
 * on it works with the network cut.
 */

import "/lang/ar.js";
import "/lang/en.js";
import { bar } from "/page/bar.js";
import { fill, h } from "/page/dom.js";
import { onChange, start, t } from "/page/i18n.js";
import { running, wayTo } from "/page/running.js";
import { check } from "./check.js";
import { sections, verdict } from "./show.js";
import { asFile, asked, fromFile, fromHouse } from "./sources.js";

/** @typedef {import("./check.js").Report} Report */
/** @typedef {import("./sources.js").Failure} Failure */
/** @typedef {import("./sources.js").Loaded} Loaded */

const SLICE_MS = 12; // of checking, before the page is drawn again
const BEHIND_MS = 1000; // the archive may be a moment behind what somebody saw: ask again after that
const ASKED_AGAIN = 5;

/**
 * What is to be seen.
 * @typedef {{kind: "start"} | {kind: "loading"} | {kind: "checking", done: number}
 *   | {kind: "failed", why: Failure} | {kind: "done", report: Report, loaded: Loaded}} State
 */

const root = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {State} */
let state = { kind: "start" };
let turn = 0; // what was begun before is left when something new is asked for
let again = () => {};

const input = h("input", { id: "match", name: "match", autocomplete: "off", spellcheck: "false" });
const file = h("input", { id: "file", type: "file", accept: ".jsonl,.ndjson,.txt,application/x-ndjson" });
const said = h("p", { role: "status", class: "hidden-text" });
const result = h("div", { class: "result stack" });

/** Draw the whole page in the language that is spoken. */
function draw() {
  document.title = `${t("verify.title")} · ${t("house")}`;
  root.classList.add("verify");
  const on = running();
  if (on) document.getElementById("top")?.append(h("nav", { class: "back", "aria-label": t("back.to") }, wayTo(on)));
  fill(
    root,
    h("div", { class: "lead" }, h("h1", null, t("verify.title")), h("p", { class: "soft" }, t("verify.lead"))),
    ask(),
    said,
    result,
    how(),
  );
  drawResult();
}

function ask() {
  return h(
    "form",
    { class: "card ask", onsubmit: submit },
    h("label", { for: "match" }, t("verify.ask.label")),
    h(
      "div",
      { class: "row one-line" },
      input,
      h("button", { class: "button main", type: "submit" }, t("verify.ask.submit")),
    ),
    h(
      "div",
      { class: "drop" },
      h("label", { for: "file", class: "button" }, file, t("verify.ask.file")),
      h("span", { class: "soft drop-here" }, t("verify.ask.drop")),
    ),
    h("p", { class: "small soft" }, t("verify.ask.private")),
  );
}

function how() {
  const steps = ["promise", "mix", "reveal"].map((key) => h("li", null, t(`verify.how.${key}`)));
  return h("section", { class: "card how" }, h("h2", null, t("verify.how.title")), h("ol", null, steps));
}

function drawResult() {
  result.setAttribute("aria-busy", String(state.kind === "loading" || state.kind === "checking"));
  switch (state.kind) {
    case "start":
      return fill(result);
    case "loading":
      return fill(result, h("p", { class: "loading" }, t("verify.loading")));
    case "checking":
      return fill(result, progress(state.done));
    case "failed":
      return fill(result, failure(state.why));
    case "done":
      return fill(result, found(state.report, state.loaded));
  }
}

/** @param {number} done From 0 to 1. */
function progress(done) {
  return h(
    "div",
    { class: "card" },
    h("label", { for: "progress" }, t("verify.checking")),
    h("progress", { id: "progress", max: 1, value: done }),
  );
}

/** @param {Failure} why */
function failure(why) {
  const retry = why === "offline" || why === "away" || why === "notFound";
  return h(
    "div",
    { class: "card failure" },
    h("h2", { id: "verdict", tabindex: "-1" }, t(`verify.failed.${why}.title`)),
    h("p", null, t(`verify.failed.${why}.text`)),
    retry && h("div", { class: "row" }, againButton()),
  );
}

/**
 * @param {Report} report
 * @param {Loaded} loaded
 */
function found(report, { lines, kept }) {
  const keep = h("button", { type: "button", class: "button", onclick: () => save(report, lines) });
  keep.textContent = t("verify.keep");
  return [
    kept && h("p", { class: "notice" }, t("verify.kept")),
    verdict(report, [againButton(), keep]),
    ...sections(report, lines),
  ];
}

function againButton() {
  return h("button", { type: "button", class: "button", onclick: () => again() }, t("verify.again"));
}

/**
 * @param {Report} report
 * @param {Uint8Array[]} lines
 */
function save(report, lines) {
  const href = URL.createObjectURL(asFile(lines));
  h("a", { href, download: `${report.matchId || "match"}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** @param {State} next */
function show(next) {
  state = next;
  drawResult();
  if (state.kind === "loading") said.textContent = t("verify.loading");
  if (state.kind !== "failed" && state.kind !== "done") return;
  const title = result.querySelector("#verdict");
  said.textContent = `${title?.textContent}. ${title?.nextElementSibling?.textContent}`;
  if (title instanceof HTMLElement) title.focus();
}

/**
 * Load something and check it; what was asked for before is left.
 * @param {() => Promise<Loaded | Failure>} load
 * @param {string} [head] The digest of the last record that somebody saw.
 * @param {number} [tries] How often to load again if that one is not the last.
 * @returns {Promise<void>}
 */
async function run(load, head = "", tries = 0) {
  again = () => void run(load, head);
  const mine = ++turn;
  show({ kind: "loading" });
  const loaded = await load();
  if (mine !== turn) return;
  if (typeof loaded === "string") return show({ kind: "failed", why: loaded });
  const steps = check(loaded.lines, head);
  for (let begun = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) {
      const report = step.value;
      if (report?.problem?.code === "head" && tries > 0) {
        await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
        return mine === turn ? run(load, head, tries - 1) : undefined;
      }
      return show(report ? { kind: "done", report, loaded } : { kind: "failed", why: "notRecords" });
    }
    if (performance.now() - begun < SLICE_MS) continue;
    state = { kind: "checking", done: step.value };
    const shown = document.getElementById("progress");
    if (shown instanceof HTMLProgressElement) shown.value = step.value;
    else drawResult();
    await new Promise((resolve) => setTimeout(resolve));
    if (mine !== turn) return;
    begun = performance.now();
  }
}

/** @param {Event} event */
function submit(event) {
  event.preventDefault();
  const { id, head } = asked(input.value);
  byId(id, head);
}

/**
 * @param {string} id
 * @param {string} head
 */
function byId(id, head) {
  if (id !== "") {
    input.value = id;
    history.replaceState(null, "", `/verify#${id}${head && `&head=${head}`}`);
  }
  void run(() => fromHouse(id), head, ASKED_AGAIN);
}

/** @param {FileList | null | undefined} files */
function byFile(files) {
  const chosen = files?.[0];
  if (!chosen) return;
  history.replaceState(null, "", "/verify");
  input.value = "";
  void run(() => fromFile(chosen));
}

/** Check what the address asks for. */
function follow() {
  const { id, head } = asked(location.hash);
  if (id !== "" || location.hash.length > 1) byId(id, head);
}

function listen() {
  window.addEventListener("hashchange", follow);
  file.addEventListener("change", () => {
    byFile(file.files);
    file.value = ""; // so that the same file, changed, can be chosen again
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dragging");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) root.classList.remove("dragging");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("dragging");
    byFile(event.dataTransfer?.files);
  });
}

await start();
bar();
draw();
onChange(draw);
listen();
follow();
