// @ts-check
/** The page that players use: which view is shown, the bar above it, and whether the line is there. */
import { house } from "/net/house.js";
import { bar } from "/page/bar.js";
import { fill, h } from "/page/dom.js";
import { icon } from "/page/icons.js";
import { number, onChange, start, t } from "/page/i18n.js";
import { back } from "/views/back.js";
import { coins } from "/views/coins.js";
import { help } from "/views/help.js";
import { lobby } from "/views/lobby.js";
import { lost } from "/views/lost.js";
import { me } from "/views/me.js";
import { newTable } from "/views/new.js";
import { table } from "/views/table.js";

/**
 * A view draws itself into an element, and returns how to end it.
 * @typedef {(main: HTMLElement, about: string) => (() => void)} View
 */

/** @type {{[name: string]: View}} */
const VIEWS = { "": lobby, new: newTable, table, coins, me, help };

const MATCH = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let end = () => {};
let cameBack = false;

function route() {
  const [, name = "", about = ""] = location.hash.split("/");
  const known = Object.hasOwn(VIEWS, name) && (name === "table" ? MATCH.test(about) : about === "");
  const view = known ? VIEWS[name] : lost;
  end();
  main.className = view === table ? "at-table" : "";
  fill(main);
  end = view(main, about);
  scrollTo(0, 0);
}

/** Whoever opens the page while a match of his is on is back in it, without looking for it. */
function comeBack() {
  if (cameBack || !house.greeted) return;
  cameBack = true;
  const [first] = house.mine;
  if (first && location.hash.length < 3) location.replace(`#/table/${first}`);
}

function extras() {
  if (!house.account) return [];
  const has = house.wallet ? number(house.wallet.available_coins) : "…";
  return [
    h("a", { class: "to numbers", href: "#/coins", "aria-label": t("bar.coins", { coins: has }) }, icon("coin"), h("span", null, has)),
    h("a", { class: "to", href: "#/me", "aria-label": t("bar.me") }, icon("person")),
  ];
}

const way = back();
const line = h("div", { id: "line", role: "alert", hidden: true });
let wasUp = false;
let lineSaid = "";

function lineSays() {
  if (house.unknown) return "line.unknown";
  if (house.line?.silent) return "line.silent";
  return wasUp ? "line.lost" : "line.connecting";
}

function drawLine() {
  if (house.up) wasUp = true;
  const lost = house.account !== null && !house.up;
  line.hidden = !lost;
  line.classList.toggle("first", !wasUp);
  const text = lost ? t(lineSays()) : "";
  if (text !== lineSaid) {
    fill(line, text, lost && house.unknown && [" ", h("a", { href: "#/me" }, t("bar.me"))]);
    lineSaid = text; // else each attempt would be read aloud again
  }
  document.body.classList.toggle("no-line", lost && wasUp);
}

await start();
const drawBar = bar(extras);
const drawTop = () => {
  drawBar();
  document.getElementById("top")?.append(line, way);
  drawLine();
};
house.on("wallet", drawTop);
house.on("account", drawTop);
house.on("line", drawLine);
house.on("mine", comeBack);
addEventListener("hashchange", () => {
  document.getElementById("toasts")?.replaceChildren(); // what they say was of the view that is left
  route();
  main.focus({ preventScroll: true });
});
onChange(() => {
  drawTop();
  route();
});
house.call();
drawTop();
route();
