// The official TypeScript client of MCP. Reads one JSON line: {address, token, calls: [[tool, arguments], ...]};
// writes one: the tools, and what each call gave.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { text } from "node:stream/consumers";

const { address, token, calls } = JSON.parse(await text(process.stdin));
const client = new Client({ name: "contract", version: "1.0.0" });
const headers = { Authorization: `Bearer ${token}` };

async function tried(work) {
  try {
    return await work();
  } catch (error) {
    return { error: String(error.message ?? error), code: error.code ?? null };
  }
}

const refused = await tried(() => client.connect(
  new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
));
const told = { refused: refused ?? null, tools: [], results: [] };
if (!refused) {
  told.tools = (await client.listTools()).tools;
  for (const [name, given] of calls) {
    told.results.push(await tried(() => client.callTool({ name, arguments: given })));
  }
  await client.close();
}
console.log(JSON.stringify(told));
