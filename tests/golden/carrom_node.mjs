// The browser's physics, as node runs it, for test_carrom_node.py. Lines of JSON in, lines out.
//
//   numbers          the numbers that it is made of
//   shots            {"shot": .., "discs": n} each: what came of it, and the hash of its doubles
//   boards           recorded boards: after each shot what fell, and the hash of the layout

import { createHash } from "node:crypto";
import { argv, stdin, stdout } from "node:process";

const at = new URL("../../services/gateway/static/carrom/", import.meta.url);
const { NUMBERS, run } = await import(new URL("phases.js", at));
const { BOARD, atRest, placed, positionBytes, simulate, turned } = await import(
  new URL("shots.js", at)
);

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function played({ shot, discs }) {
  const ends = placed(shot, discs);
  const rest = atRest(ends, run(ends, BOARD));
  const raw = new DataView(new ArrayBuffer(16 * discs));
  ends.x.forEach((value, n) => raw.setFloat64(8 * n, value, true));
  ends.y.forEach((value, n) => raw.setFloat64(8 * (discs + n), value, true));
  return { ...rest, hash: sha256(positionBytes(rest.places, discs)), raw: sha256(raw) };
}

function board({ places, shots }) {
  const seats = ["south", "east", "north", "west"];
  let left = places;
  return shots.map(({ seat, shot: [x, dx, dy, speed], returned }) => {
    const quarters = seats.indexOf(seat);
    const striker = [0, x, NUMBERS.LINE_Y_UM];
    const shot = { places: [striker, ...turned(left, quarters)], dx, dy, speed };
    const rest = simulate(shot);
    const stayed = turned(rest.places, 4 - quarters).filter(([disc]) => disc !== 0);
    left = [...stayed, ...returned].sort(([one], [other]) => one - other);
    return { fallen: rest.fallen, hash: sha256(positionBytes(left)) };
  });
}

let text = "";
for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
const lines = text.split("\n").filter(Boolean);
const work = { numbers: () => NUMBERS, shots: played, boards: board }[argv[2]];
const given = argv[2] === "numbers" ? [null] : lines.map((line) => JSON.parse(line));
stdout.write(given.map((one) => `${JSON.stringify(work(one))}\n`).join(""));
