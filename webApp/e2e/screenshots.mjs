// `make screenshots`: the pictures of the README, in docs/images, of a made-up week with a scripted model.
import { mkdirSync } from "node:fs";
import { answers, DARK, launch, openDevice, PHONE, say, settled, signIn } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { wait } from "./waiting.mjs";

const images = new URL("../../docs/images/", import.meta.url);
const TOLD = [
  ["I live in Lisbon.", "Lisbon, good to know."],
  ["My sister Mary lives in Porto.", "Noted: Mary is in Porto."],
  ["I work at Zephyr Pumps.", "Zephyr Pumps it is."],
  ["I prefer short answers.", "I'll keep it short."],
  ["My dog is called Max.", "Hello, Max."],
];
const PLAN = [
  "Take the **09:39** from Lisboa Oriente, you are in Porto at 12:20, in time for lunch with Mary.",
  "",
  "| | train | arrives |",
  "|---|---|---|",
  "| Fri | 09:39 | 12:20 |",
  "| Sun | 17:44 | 20:30 |",
  "",
  "Max travels along: dogs need a ticket of their own, and a muzzle.",
].join("\n");
const MANUAL = "# Zephyr Z3 manual\n\nThe inlet filter of the Z3 is changed every 400 hours. Close the valve first.\n\nThe oil is ISO VG 46.\n";

const script = {
  rules: [
    ...TOLD.map(([said, reply]) => ({ match: said.replace(".", "\\."), reply })),
    { match: "visit my sister", reply: PLAN },
    {
      match: "filter",
      tool_calls: [{ name: "retrieve_context", args: { query: "inlet filter of the Z3" } }],
      then: "Every **400 hours**. Close the valve first.",
    },
  ],
  default: "All right.",
};

mkdirSync(images, { recursive: true });
const server = await startServer(script, { RECALL_DEADLINE_MS: "5000" });
const browser = await launch();
const picture = async (page, name) => {
  await page.evaluate(() => document.fonts.ready);
  await wait(700); // fades end
  await page.screenshot({ path: new URL(`${name}.png`, images).pathname });
  console.log(`docs/images/${name}.png`);
};

try {
  const desktop = await openDevice(browser, server.address, { viewport: { width: 1280, height: 880 } });
  const page = await desktop.newPage();
  await signIn(page, "ada");
  for (const [place, [said]] of TOLD.entries()) {
    await say(page, said);
    await answers(page).nth(place).waitFor();
    await settled(page);
  }
  await answers(page).last().getByText("Remembered").waitFor();
  await page.goto("/knowledge");
  await page.locator("input[type=file]").setInputFiles([{ name: "z3-manual.md", mimeType: "text/markdown", buffer: Buffer.from(MANUAL) }]);
  await page.getByText("Ready", { exact: true }).waitFor();

  await page.goto("/");
  await page.getByRole("button", { name: "New chat" }).first().click();
  await answers(page).first().waitFor({ state: "detached" });
  await say(page, "I'd like to visit my sister at the weekend. Which train?");
  await answers(page).getByText("muzzle").waitFor();
  await settled(page);
  await answers(page).last().getByText(/Looked at \d/).click();
  await picture(page, "chat");

  for (const name of ["memory", "graph"]) {
    await page.goto(`/${name}`);
    await page.getByRole("heading").first().waitFor();
    await wait(1_500);
    await picture(page, name);
  }

  const phone = await openDevice(browser, server.address, { ...PHONE, ...DARK });
  const small = await phone.newPage();
  await signIn(small, "ada");
  await say(small, "How often is the filter changed?");
  await answers(small).getByText("400 hours").waitFor();
  await settled(small);
  await picture(small, "phone");
} finally {
  await browser.close();
  await server.end();
}
