// The checks of the Verify page, as node runs them. Lines of JSON in, lines out.
//
//   sha256     ["hex of a message"] each: its digest
//   hmac       ["hex of a key", "hex of a message"] each: the code
//   dice       a vector of golden/dice.json each: what it should say
//   verify     {"lines": ["base64", ..], "head": ""} each: the report, null for no records
//   share      {"pot": n, "places": [[seat, place], ..], "gone": [seat, ..]} each: fee and prizes
//   split      ["base64 of a file"] each: its records

import { argv, stdin, stdout } from "node:process";

const at = new URL("../../services/gateway/static/verify/", import.meta.url);
const { fromHex, hex, hmacSha256, sha256 } = await import(new URL("sha256.js", at));
const { Chance, commitment, deal } = await import(new URL("dice.js", at));
const { split: share } = await import(new URL("coins.js", at));
const { verify } = await import(new URL("check.js", at));
const { split } = await import(new URL("lines.js", at));

const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

function dice(vector) {
  const secret = fromHex(vector.secret);
  const { dealt } = deal(secret, vector.match_id, vector.seat_numbers_as_taken);
  const numbers = dealt.map((sitter) => vector.seat_numbers_as_taken[sitter]);
  const chance = new Chance(secret, vector.match_id, numbers);
  const roll = ({ i, seat, roll_number }) => ({
    die: chance.die(i, seat, roll_number).value,
    six_cowries: chance.cowries(i, seat, roll_number, 6).value,
    seven_cowries: chance.cowries(i, seat, roll_number, 7).value,
    skipped: chance.die(i, seat, roll_number).skipped,
  });
  return {
    commitment: commitment(vector.secret, vector.match_id).digest,
    dealt,
    rolls: vector.rolls.map(roll),
    rejected: (vector.rolls_with_rejected_bytes ?? []).map(roll),
    lots: [2, 3, 4, 7].map((among) => chance.lot(among).value),
  };
}

const works = {
  sha256: ([message]) => hex(sha256(fromHex(message))),
  hmac: ([key, message]) => hex(hmacSha256(fromHex(key), fromHex(message))),
  dice,
  verify: ({ lines, head }) => verify(lines.map(bytes), head),
  share: ({ pot, places, gone }) => share(pot, places, new Set(gone)),
  split: ([data]) => split(bytes(data)).map((line) => Buffer.from(line).toString("base64")),
};

let text = "";
for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
const given = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
stdout.write(given.map((one) => `${JSON.stringify(works[argv[2]](one))}\n`).join(""));
