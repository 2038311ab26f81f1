// The checks of the Verify page, as node runs them. Lines of JSON in, lines out.
//
//   sha256           ["hex of a message", ..] each: its digest
//   hmac             ["hex of a key", "hex of a message"] each: the code

import { argv, stdin, stdout } from "node:process";

const at = new URL("../../services/gateway/static/verify/", import.meta.url);
const { fromHex, hex, hmacSha256, sha256 } = await import(new URL("sha256.js", at));

const works = {
  sha256: ([message]) => hex(sha256(fromHex(message))),
  hmac: ([key, message]) => hex(hmacSha256(fromHex(key), fromHex(message))),
};

let text = "";
for await (const chunk of stdin.setEncoding("utf8")) text += chunk;
const given = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
stdout.write(given.map((one) => `${JSON.stringify(works[argv[2]](one))}\n`).join(""));
