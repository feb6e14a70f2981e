import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./shell/theme.css";
import "./shell/base.css";
import "./shell/controls.css";
import "./shell/overlays.css";
import "./shell/layout.css";
import "./shell/print.css";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
