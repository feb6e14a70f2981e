// What axe has to say about a page as it is now; nothing is what it should say.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function violations(page) {
  await page.evaluate(`${source}; 0`);
  return page.evaluate(async () => {
    const fades = document.getAnimations().filter((each) => each instanceof CSSTransition);
    await Promise.allSettled(fades.map((each) => each.finished)); // half a fade has half the contrast
    const { violations } = await window.axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  });
}
