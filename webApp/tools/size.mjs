// What a first visit loads, gzipped: the entry, what it imports, the page that is drawn first, and their styles.
// Fails above the limit. `--all` also lists what is loaded later.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 220;
const FIRST = ["index.html", "src/chat/ChatPage.tsx", "src/chat/Markdown.tsx", "src/auth/SignInPage.tsx"];
const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));

function closure(names) {
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name) || !manifest[name]) return;
    seen.add(name);
    for (const each of manifest[name].imports ?? []) visit(each);
  };
  names.forEach(visit);
  return seen;
}

const filesOf = (names) => new Set([...names].flatMap((name) => [manifest[name].file, ...(manifest[name].css ?? [])]));
const kilobytes = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length / 1000;
const list = (files) =>
  [...files].map((file) => [file, kilobytes(file)]).sort((a, b) => b[1] - a[1]);

const missing = FIRST.filter((name) => !manifest[name]);
if (missing.length) {
  console.error(`The build has no ${missing.join(", ")}: correct FIRST in tools/size.mjs.`);
  process.exit(1);
}
const first = list([...filesOf(closure(FIRST)), "index.html", "theme.js"]);
for (const [file, kb] of first) console.log(`${kb.toFixed(1).padStart(7)} kB  ${file}`);
if (process.argv.includes("--all")) {
  const known = new Set(first.map(([file]) => file));
  console.log("later:");
  for (const [file, kb] of list([...filesOf(Object.keys(manifest))].filter((each) => !known.has(each)))) {
    console.log(`${kb.toFixed(1).padStart(7)} kB  ${file}`);
  }
}
const total = first.reduce((sum, [, kb]) => sum + kb, 0);
console.log(`${total.toFixed(1)} kB gzipped at first load, of at most ${LIMIT_KB}`);
process.exit(total > LIMIT_KB ? 1 : 0);
