import type { ComponentProps, ReactNode } from "react";
import { Spinner } from "./Spinner";

interface Props extends ComponentProps<"button"> {
  look?: "plain" | "primary" | "danger" | "quiet";
  size?: "normal" | "small";
  /** Only an icon is drawn, and this says what it does. */
  label?: string;
  icon?: ReactNode;
  busy?: boolean;
}

export function Button({ look = "plain", size = "normal", label, icon, busy, children, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      className="button"
      data-look={look}
      data-size={size}
      data-shape={label && !children ? "icon" : undefined}
      aria-label={label}
      title={label}
      disabled={disabled || busy}
      {...rest}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}
