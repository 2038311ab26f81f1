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
  const theme = kept("sahrat.theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const language = kept("sahrat.language");
  if (language === "en") {
    root.lang = "en";
    root.dir = "ltr";
  }
})();
