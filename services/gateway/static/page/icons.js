// @ts-check
/** Small drawings, in the colour of the text around them. They say nothing by themselves. */
import { s } from "/page/dom.js";

export const PATHS = {
  language: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  moon: "M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  coin: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7.5 16.5 12 12 16.5 7.5 12Z",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5",
  help: "M9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 1-1 2M12 17v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  sound: "M4 9.5h3.5L12 6v12l-4.5-3.5H4ZM15.5 9.5a3.5 3.5 0 0 1 0 5M18 7a7 7 0 0 1 0 10",
  mute: "M4 9.5h3.5L12 6v12l-4.5-3.5H4ZM16 10l4 4M20 10l-4 4",
  leave: "M14 5h5v14h-5M4 12h10M10 8l4 4-4 4",
  robot: "M6 9h12v9H6ZM12 5.5V9M9.5 13v.1M14.5 13v.1M3.5 12v3M20.5 12v3",
  away: "M4 12a12 12 0 0 1 16 0M7 15a7.5 7.5 0 0 1 10 0M12 18.5v.1M4 4l16 16",
  check: "M5 12.5 10 17.5 19 7",
};

/**
 * Make an icon.
 * @param {keyof typeof PATHS} which
 */
export function icon(which) {
  const path = s("path", { d: PATHS[which], fill: "none", stroke: "currentColor" });
  path.setAttribute("stroke-width", "1.8");
  path.setAttribute("stroke-linecap", "round");
  path.setAttribute("stroke-linejoin", "round");
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, path);
}

/** The house's own sign. */
export function brand() {
  /** @type {[string, string][]} */
  const leaves = [
    ["M32 6 45 19 32 32 19 19Z", "#cf5546"],
    ["M58 32 45 45 32 32 45 19Z", "#43936a"],
    ["M32 58 19 45 32 32 45 45Z", "#dfab3d"],
    ["M6 32 19 19 32 32 19 45Z", "#4a82c4"],
  ];
  return s(
    "svg",
    { viewBox: "4 4 56 56", "aria-hidden": "true" },
    s("path", { d: "M32 4 60 32 32 60 4 32Z", fill: "#f7f0e1" }),
    leaves.map(([d, fill]) => s("path", { d, fill, transform: "translate(3.2 3.2) scale(.9)" })),
  );
}
