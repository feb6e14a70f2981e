import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const server = process.env.CHAT_SERVER ?? "http://127.0.0.1:8000";

/** Writes which packages the build has taken in, for the check of their licences: tools/npm_licences.py. */
const packages = (): Plugin => ({
  name: "packages",
  generateBundle() {
    const taken = [...this.getModuleIds()].map((id) => /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\?]+)/.exec(id)?.[1]);
    const names = [...new Set(taken.filter((name) => name !== undefined))].sort();
    this.emitFile({ type: "asset", fileName: ".vite/packages.json", source: JSON.stringify(names) });
  },
});

export default defineConfig({
  plugins: [react(), packages()],
  resolve: { alias: [{ find: /^zod\/v3$/, replacement: fileURLToPath(new URL("src/chat/noZod3.ts", import.meta.url)) }] },
  build: {
    manifest: true,
    modulePreload: { polyfill: false }, // it would be an inline script, which the policy of the page forbids
    assetsInlineLimit: 0,
  },
  // `npm run dev`: pages from here, everything else from a running chatServer.
  server: { host: "127.0.0.1", port: 5173, proxy: { "/api": server, "/auth": server, "/openapi.json": server } },
  test: { include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
