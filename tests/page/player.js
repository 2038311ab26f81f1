// What a test puts into a page before anything of it runs: somebody who plays by pressing what is
// offered, and a note of every board that was drawn.
(() => {
  const seen = [];
  window.seen = seen;
  window.plays = false;
  window.ran = 0; // what a nickname would raise if it were ever run
  window.alert = () => (window.ran += 1);
  const board = () => document.querySelector(".board[data-seq]");
  const note = () => {
    const seq = Number(board().dataset.seq);
    const pawns = [[], [], [], []];
    for (const pawn of board().querySelectorAll(".pawn")) {
      pawns[Number(pawn.dataset.seat)][Number(pawn.dataset.pawn)] = Number(pawn.dataset.progress);
    }
    seen.push({ seq, pawns });
  };
  let pressing = 0;
  const press = () => {
    pressing = 0;
    if (!window.plays) return;
    const offered = document.querySelector(".choice") ?? document.querySelector(".die.ready");
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
