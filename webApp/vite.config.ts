import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.CHAT_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  build: {
    manifest: true,
    modulePreload: { polyfill: false }, // it would be an inline script, which the policy of the page forbids
    assetsInlineLimit: 0,
  },
  // `npm run dev`: pages from here, everything else from a running chatServer.
  server: { host: "127.0.0.1", port: 5173, proxy: { "/api": server, "/auth": server, "/openapi.json": server } },
  test: { include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
