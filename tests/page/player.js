// What a test puts into a page before anything of it runs: somebody who plays by pressing what is
// offered, and a note of every board that was drawn.
(() => {
  const seen = [];
  window.seen = seen;
  window.plays = false;
  window.declines = 0; // so many throws it leaves unused, as soon as it may
  window.ran = 0; // what a nickname would raise if it were ever run
  window.alert = () => (window.ran += 1);
  const board = () => document.querySelector(".board[data-seq]");
  const note = () => {
    const seq = Number(board().dataset.seq);
    const pieces = [[], [], [], []];
    for (const { dataset } of board().querySelectorAll(".piece")) {
      pieces[Number(dataset.seat)][Number(dataset.piece)] = Number(dataset.progress);
    }
    const discs = [...board().querySelectorAll(".disc[data-x]")].map(({ dataset }) =>
      [dataset.disc, dataset.x, dataset.y].map(Number));
    discs.sort(([one], [other]) => one - other);
    seen.push({ seq, pieces, discs, lying: board().querySelectorAll(".piece.lying").length });
  };
  let pressing = 0;
  const press = () => {
    pressing = 0;
    if (!window.plays) return;
    const decline = document.querySelector("[data-do=decline]");
    if (decline && window.declines > 0) {
      window.declines -= 1;
      decline.click();
      return;
    }
    const choices = [...document.querySelectorAll(".choice")];
    const some = choices[Math.floor(Math.random() * choices.length)];
    const offered = some ?? document.querySelector(".thrower.ready");
    offered?.click();
  };
  const look = (changes) => {
    if (changes.some((change) => change.attributeName === "data-seq")) note();
    pressing ||= setTimeout(press, 0);
  };
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-seq", "class"],
  });
})();
