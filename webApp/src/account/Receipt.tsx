import { Button } from "../shell/Button";
import { minuteOf } from "../memory/moments";
import { strings } from "../strings";
import { CountTable } from "./CountTable";
import type { Erased } from "./erase";
import { asFile, download, fileName } from "./files";

const words = strings.account;

/** A new one comes below what was pressed, out of sight on a small screen. */
const intoView = (receipt: HTMLElement | null) => receipt?.scrollIntoView({ block: "nearest" });

/** What was erased and when, to be kept. */
export function Receipt({ receipt, isOpen }: { receipt: Erased; isOpen?: boolean }) {
  const all = Object.values(receipt.counts).reduce((sum, each) => sum + each, 0);
  return (
    <details className="receipt" open={isOpen} ref={isOpen ? intoView : undefined}>
      <summary role={isOpen ? "status" : undefined}>{words.receipt(minuteOf(receipt.erased_at))}</summary>
      <p className="small soft">
        {words.receiptCounts(all)}
        {receipt.sign_in === "deleted" && ` · ${words.signInDeleted}`}
        {receipt.sign_in === "kept" && ` · ${receipt.why ?? words.signInKept}`}
      </p>
      {all > 0 && <CountTable columns={[[words.rows, receipt.counts]]} />}
      <Button size="small" onClick={() => download(asFile(receipt), fileName("erasure-receipt", new Date(receipt.erased_at)))}>
        {words.receiptSave}
      </Button>
    </details>
  );
}
