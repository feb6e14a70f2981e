// `make e2e`, or `npm run e2e -- chat` for one file: every e2e/*.test.mjs exports `tests`, {name: async (world) => ...}.
// One server for all, and a browser for each of several lanes, which take one file after the other; each test has
// devices and users of its own.
import { mkdirSync, readdirSync } from "node:fs";
import { launch, openDevice } from "./browser.mjs";
import { script } from "./script.mjs";
import { startServer } from "./server.mjs";

const here = new URL("./", import.meta.url);
const wanted = process.argv.slice(2);
const output = new URL("output/", here);
const LONGEST_MS = 180_000;
const LANES = 3; // tests wait more than they work: by itself each takes a fifth of two cores
const ALONE = ["long.test.mjs"]; // how long the page takes is looked at: nobody else may be at work
// They begin, so that no lane is at one of them when the others have ended.
const LONGEST = ["memory.test.mjs", "sessions.test.mjs", "auth.test.mjs", "refusals.test.mjs", "chat-more.test.mjs", "notes.test.mjs"];

const files = [...LONGEST, ...readdirSync(here).filter((name) => name.endsWith(".test.mjs") && !LONGEST.includes(name))];
const chosen = files.filter((name) => wanted.length === 0 || wanted.some((each) => name.includes(each)));
mkdirSync(output, { recursive: true });

const server = await startServer(script, { RECALL_DEADLINE_MS: "5000" }); // the machine is shared, and what is recalled is looked at
let failed = 0;
let ran = 0;
const within = (work) =>
  Promise.race([work, new Promise((_, reject) => setTimeout(() => reject(new Error(`took over ${LONGEST_MS} ms`)), LONGEST_MS).unref())]);

async function runTest(browser, file, name, test) {
  const number = ran++;
  const devices = [];
  const open = async (options) => {
    const device = await openDevice(browser, server.address, options);
    devices.push(device);
    return device;
  };
  const user = `e2e-${file.replace(".test.mjs", "")}-${number}`;
  const began = Date.now();
  try {
    await within(test({ server, browser, open, user, output }));
    const complaints = devices.flatMap((device) => device.complaints);
    if (complaints.length) throw new Error(`the page complained:\n  ${complaints.join("\n  ")}`);
    console.log(`ok    ${file}: ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  ${file}: ${name}\n${error.stack ?? error}`);
    for (const [i, page] of devices.flatMap((device) => device.context.pages()).entries()) {
      await page.screenshot({ path: new URL(`failed-${number + 1}-${i}.png`, output).pathname }).catch(() => undefined);
    }
  }
  for (const device of devices) await device.close();
}

/** Takes one file after the other, until none is left. */
async function lane(left) {
  if (!left.length) return;
  const browser = await launch();
  try {
    for (let file = left.shift(); file; file = left.shift()) {
      const { tests, end } = await import(new URL(file, here));
      for (const [name, test] of Object.entries(tests)) await runTest(browser, file, name, test);
      await end?.(); // of what the tests of a file share
    }
  } finally {
    await browser.close();
  }
}

try {
  const together = chosen.filter((file) => !ALONE.includes(file));
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => lane(together)));
  const broken = lanes.find(({ status }) => status === "rejected");
  if (broken) throw broken.reason;
  await lane(chosen.filter((file) => ALONE.includes(file)));
} finally {
  await server.end();
}
console.log(`${ran - failed} of ${ran} passed`);
process.exit(failed || ran === 0 ? 1 : 0);
