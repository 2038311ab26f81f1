// @ts-check
// العربية. Keys are those of every other language file.
export default {
  house: "سهرة",
  bar: {
    other_language: "English",
    theme: "المظهر: فاتح أو داكن",
    skip: "إلى المحتوى",
  },
  welcome: {
    title: "لودو مع أصحابك",
    about: "كل مباراة سجلّ لا يُمحى، وكل رمية نرد يمكن التحقق منها بعد انتهائها.",
  },
};
