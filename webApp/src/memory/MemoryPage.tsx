import { useState } from "react";
import { Button } from "../shell/Button";
import { PlusIcon } from "../shell/icons";
import { Page } from "../shell/Page";
import { navigate, useSearchParam } from "../shell/router";
import { strings } from "../strings";
import "./answer.css";
import { AuditView } from "./AuditView";
import "./memory.css";
import { MemoryDialog } from "./MemoryDialog";
import { MemoryList } from "./MemoryList";
import { NewMemoryDialog } from "./NewMemoryDialog";
import { Views } from "../shell/Views";

const words = strings.memory;
const VIEWS = [
  ["list", words.list],
  ["audit", words.audit],
] as const;

/** `?view=audit` is the report, `?id=` opens one memory: both can be linked to and gone back from. */
export default function MemoryPage() {
  const view = useSearchParam("view") === "audit" ? "audit" : "list";
  const id = useSearchParam("id");
  const [isAdding, setAdding] = useState(false);
  const here = view === "audit" ? "/memory?view=audit" : "/memory";
  const open = (memoryId: string) => navigate(`${here}${here.includes("?") ? "&" : "?"}id=${memoryId}`);
  const add = (
    <Button look="primary" icon={<PlusIcon />} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Page title={strings.nav.memory} lead={words.lead} actions={add}>
      <Views label={words.views} views={VIEWS} shown={view} onChoose={(each) => navigate(each === "audit" ? "/memory?view=audit" : "/memory")} />
      {view === "audit" ? <AuditView onOpen={open} /> : <MemoryList onOpen={open} />}
      {id && <MemoryDialog key={id} id={id} onOpen={open} onClose={() => navigate(here, { replace: true })} />}
      {isAdding && <NewMemoryDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
