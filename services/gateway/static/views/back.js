// @ts-check
/** The way back to a match that is on, above whatever else is looked at; and whether it is his turn. */
import { house } from "/net/house.js";
import { fill, h } from "/page/dom.js";
import { onChange, t } from "/page/i18n.js";
import { keepRunning, wayTo } from "/page/running.js";

/** @returns {HTMLElement} It follows by itself what is on, and what is looked at. */
export function back() {
  const place = h("nav", { class: "back", hidden: true });
  let shown = "";
  const draw = () => {
    const [, name = "", about = ""] = location.hash.split("/");
    const others = name === "" ? [] : [...house.mine].filter((id) => id !== about); // the lobby has its own
    const waits = (/** @type {string} */ id) => house.matches.get(id)?.myTurn === true;
    const [id] = [...others.filter(waits), ...others];
    const game = id && house.matches.get(id)?.game?.name;
    const now = id ? `${id} ${game} ${waits(id)}` : "";
    if (now === shown) return;
    shown = now;
    place.hidden = !id;
    place.setAttribute("aria-label", t("back.to"));
    fill(place, id && wayTo(id, game && ` · ${t(`game.${game}`)}`, waits(id) && h("span", { class: "tag brass" }, t("table.your_turn"))));
  };
  const changed = () => {
    keepRunning([...house.mine][0] ?? "");
    draw();
  };
  house.on("mine", changed);
  house.on("account", changed);
  house.on("match", draw);
  addEventListener("hashchange", draw);
  onChange(() => {
    shown = "";
    draw();
  });
  draw();
  return place;
}
