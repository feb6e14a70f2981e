// A real chatServer of its own for a run: a free port, an empty data folder, and a model that follows a script.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { wait } from "./waiting.mjs";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const python = process.env.CHAT_PYTHON ?? join(root, ".venv/bin/python");
const STARTS_IN_MS = 120_000;

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** `script`: as docs/models.md has it, `{rules, default}`. `settings`: more of the environment. */
export async function startServer(script, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), "chat-e2e-"));
  const port = settings.PORT ?? (await freePort());
  const file = join(folder, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const env = {
    ...process.env,
    PYTHONPATH: root,
    HOST: "127.0.0.1",
    PORT: String(port),
    CHAT_DATA_DIR: join(folder, "data"),
    MODEL: `script:${file}`,
    LOG_LEVEL: "WARNING",
    ...settings,
  };
  const address = `http://127.0.0.1:${port}`;
  let said = "";
  let child;

  async function start() {
    child = spawn(python, ["-m", "chatServer", "serve"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said = (said + piece).slice(-20_000)));
    const end = Date.now() + STARTS_IN_MS;
    while (Date.now() < end && child.exitCode === null) {
      const answer = await fetch(`${address}/readyz`).catch(() => null);
      if (answer?.ok) return;
      await wait(200);
    }
    throw new Error(`the server did not start:\n${said}`);
  }

  async function stop(signal = "SIGTERM") {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await Promise.race([ended, wait(40_000)]);
  }

  await start();
  return {
    address,
    folder,
    start,
    stop,
    log: () => said,
    /** A request as somebody, past the page: to prepare, and to look behind its back. */
    async as(name, method, path, body) {
      const sign = await fetch(`${address}/api/dev/token`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ user: name }),
      });
      const { access_token } = await sign.json();
      const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json", Accept: "application/json" };
      const answer = await fetch(address + path, { method, headers, body: body && JSON.stringify(body) });
      const text = await answer.text();
      return { status: answer.status, body: text ? JSON.parse(text) : null };
    },
    async end() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
