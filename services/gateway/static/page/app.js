// @ts-check
/** The page that players use. */
import { bar } from "/page/bar.js";
import { fill, h } from "/page/dom.js";
import { onChange, start, t } from "/page/i18n.js";

const main = document.getElementById("main");
if (main === null) throw new Error("a page without #main");

function draw() {
  if (main === null) return;
  fill(
    main,
    h(
      "div",
      { class: "narrow" },
      h("h1", null, t("welcome.title")),
      h("p", { class: "soft" }, t("welcome.about")),
    ),
  );
}

await start();
bar();
draw();
onChange(draw);
