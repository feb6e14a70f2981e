// A line between a browser and the server that can be cut, also in mid-answer: a browser's "offline" lets open streams be.
import { connect, createServer } from "node:net";

export async function startProxy(address) {
  const { hostname, port } = new URL(address);
  const open = new Set();
  let isCut = false;
  const proxy = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [[near, far], [far, near]]) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one) && other.destroy());
    }
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${proxy.address().port}`,
    cut() {
      isCut = true;
      for (const each of open) each.destroy();
    },
    mend: () => (isCut = false),
    end() {
      this.cut();
      proxy.close();
    },
  };
}
