// @ts-check
// English. Keys are those of every other language file.
export default {
  house: "Sahra",
  bar: {
    other_language: "العربية",
    theme: "Theme: light or dark",
    skip: "To the content",
  },
  welcome: {
    title: "Ludo with your friends",
    about: "Every match is a log that is only ever added to, and every roll can be checked once it is over.",
  },
};
