import { lazy, Suspense, useState } from "react";
import { Button } from "../shell/Button";
import { GaugeIcon } from "../shell/icons";
import { strings } from "../strings";

const ContextPanel = lazy(() => import("./ContextPanel"));

/** In the head of the chat: what the next prompt would be made of, and what the last answer took. */
export function ContextInspector({ sessionId }: { sessionId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" label={strings.context.open} icon={<GaugeIcon />} aria-haspopup="dialog" onClick={() => setOpen(true)} />
      {isOpen && (
        <Suspense fallback={null}>
          <ContextPanel sessionId={sessionId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
