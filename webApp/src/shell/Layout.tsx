import { useEffect, useRef, useState, type ReactNode } from "react";
import { useLiveLists } from "../api/live/useLiveLists";
import { useAuthStore } from "../auth/useAuthStore";
import { strings } from "../strings";
import { Button } from "./Button";
import { keepDeleting } from "./deletions";
import { MenuIcon } from "./icons";
import { usePath } from "./router";
import { Sidebar } from "./Sidebar";
import { Toasts } from "./Toasts";

/** The sidebar and the page; on a phone the sidebar is a drawer behind a button. */
export function Layout({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const path = usePath();
  const userId = useAuthStore((state) => state.user?.id);
  useLiveLists();
  useEffect(() => (userId ? keepDeleting(userId) : undefined), [userId]);
  useEffect(() => setOpen(false), [path]);
  return (
    <div className="layout">
      <a className="skip-link" href="#main">
        {strings.shell.skip}
      </a>
      <Sidebar />
      <div className="main">
        <div className="topbar">
          <Button look="quiet" label={strings.shell.menu} icon={<MenuIcon />} onClick={() => setOpen(true)} />
        </div>
        {children}
      </div>
      {isOpen && (
        <Drawer onClose={() => setOpen(false)}>
          <Sidebar onChoose={() => setOpen(false)} />
        </Drawer>
      )}
    </div>
  );
}

function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const drawer = ref.current;
    drawer?.showModal();
    return () => drawer?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="drawer"
      tabIndex={-1}
      aria-label={strings.shell.menu}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      {children}
      <Toasts />
    </dialog>
  );
}
