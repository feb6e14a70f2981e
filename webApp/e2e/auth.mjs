// Supabase Auth for a page to sign in at: NOT the real one but tests/tools/auth_stand_in.py, which speaks as it does.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { python, root } from "./server.mjs";
import { wait } from "./waiting.mjs";

export async function startAuth() {
  const folder = mkdtempSync(join(tmpdir(), "chat-auth-"));
  const command = ["-m", "tests.tools.auth_for_browsers", folder];
  const child = spawn(python, command, { cwd: root, env: { ...process.env, PYTHONPATH: root }, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (piece) => (said = (said + piece).slice(-5_000)));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const told = new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  const first = await Promise.race([told, ended, wait(120_000)]);
  if (typeof first !== "string") throw new Error(`the stand-in for Supabase Auth did not start:\n${said}`);
  const { address } = JSON.parse(first);
  console.log(`      Supabase Auth is a stand-in here (tests/tools/auth_stand_in.py), at ${address}`);
  return {
    address,
    /** What the link in the last mail to somebody would be. */
    link: async (email) => (await (await fetch(`${address}/mail?email=${encodeURIComponent(email)}`)).json()).link,
    async end() {
      child.stdin.end();
      await Promise.race([ended, wait(30_000)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
