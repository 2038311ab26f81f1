// @ts-check
/** The bar on top of every page: the house's name, the way home, language and theme. */
import { h, fill } from "/page/dom.js";
import { brand, icon } from "/page/icons.js";
import { change, onChange, spoken, t } from "/page/i18n.js";

const KEPT = "sahrat.theme";

/**
 * Put the bar into `#top`. It speaks the language that is chosen, and changes with it.
 * @param {() => import("/page/dom.js").Child[]} [more] What this page has in its bar besides.
 * @returns {() => void} Draws it anew.
 */
export function bar(more = () => []) {
  const top = document.getElementById("top");
  if (top === null) throw new Error("a page without #top");
  const draw = () => {
    document.title = t("house");
    const other = spoken() === "ar" ? "en" : "ar";
    fill(
      top,
      h("a", { class: "skip", href: "#main", onclick: skip }, t("bar.skip")),
      h(
        "header",
        { class: "bar" },
        h("a", { class: "brand", href: location.pathname === "/" ? "#/" : "/" }, brand(), h("span", null, t("house"))),
        h("span", { class: "space" }),
        more(),
        h(
          "button",
          {
            type: "button",
            "data-do": "language",
            lang: other,
            "aria-label": t("bar.other_language"),
            onclick: () => void change(other),
          },
          h("span", { class: "when-wide" }, t("bar.other_language")),
          h("span", { class: "when-narrow" }, t("bar.other_short")),
        ),
        h(
          "button",
          { type: "button", "data-do": "theme", onclick: turn },
          ["dark", "light"].map((theme) => lamp(/** @type {"dark" | "light"} */ (theme))),
        ),
      ),
    );
  };
  draw();
  onChange(draw);
  return draw;
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault(); // the address after # says which view is shown
  document.getElementById("main")?.focus();
}

/** The theme that a press brings; the style shows the one that is not on. @param {"dark" | "light"} theme */
function lamp(theme) {
  return h("span", { class: `to-${theme}`, title: t(`bar.${theme}`) }, icon(theme === "dark" ? "moon" : "sun"), h("span", { class: "hidden-text" }, t(`bar.${theme}`)));
}

function turn() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEPT, root.dataset.theme);
  } catch {
    // a browser that keeps nothing: the choice holds for this page
  }
}
