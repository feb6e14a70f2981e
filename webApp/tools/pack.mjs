// What is built, with gzip beside it, so that the server need not do that for every visitor.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const names = ["theme.js", "icon.svg", ...readdirSync(new URL("assets/", dist)).map((name) => `assets/${name}`)];
for (const name of names.filter((each) => /\.(js|css|svg|wasm)$/.test(each))) {
  writeFileSync(new URL(`${name}.gz`, dist), gzipSync(readFileSync(new URL(name, dist)), { level: 9 }));
}
