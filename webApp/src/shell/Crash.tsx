import { Component, type ReactNode } from "react";
import { strings } from "../strings";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";

/** A component that throws takes down its page, never the whole window. */
export class Crash extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    const again = <Button onClick={() => location.reload()}>{strings.shell.retry}</Button>;
    return <EmptyState title={strings.errors.crashed} action={again} />;
  }
}
