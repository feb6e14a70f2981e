import { Component, type ReactNode } from "react";
import { strings } from "../strings";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";

/** A component that throws takes down its page, never the whole window; less, where something can stand `instead`. */
export class Crash extends Component<{ children: ReactNode; instead?: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    if (this.props.instead) return this.props.instead;
    const again = <Button onClick={() => location.reload()}>{strings.shell.retry}</Button>;
    return <EmptyState title={strings.errors.crashed} action={again} />;
  }
}
