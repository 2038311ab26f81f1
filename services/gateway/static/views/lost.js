// @ts-check
/** An address that shows nothing, and the way home from there. */
import { fill, h } from "/page/dom.js";
import { brand } from "/page/icons.js";
import { t } from "/page/i18n.js";

/** @type {import("/page/app.js").View} */
export function lost(main) {
  fill(
    main,
    h(
      "section",
      { class: "card narrow lost", "data-do": "lost" },
      brand(),
      h("h1", null, t("lost.title")),
      h("p", { class: "soft" }, t("lost.about")),
      h("a", { class: "button main large", href: "#/" }, t("help.home")),
    ),
  );
  return () => {};
}
