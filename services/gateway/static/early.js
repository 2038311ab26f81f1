// @ts-check
// Before anything is drawn: the theme and the direction that this device chose, so that nothing
// flashes or turns round. The only script that is no module; the strict policy allows none inline.
(() => {
  const root = document.documentElement;
  /** @param {string} name */
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = kept("sahrat.theme");
  const follow = () => {
    root.dataset.theme = dark.matches ? "dark" : "light";
  };
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  else {
    follow();
    dark.addEventListener("change", follow);
  }
  const language = kept("sahrat.language");
  if (language === "en") {
    root.lang = "en";
    root.dir = "ltr";
  }
})();
