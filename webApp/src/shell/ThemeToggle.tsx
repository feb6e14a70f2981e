import { strings } from "../strings";
import { Button } from "./Button";
import { MoonIcon, SunIcon } from "./icons";
import { useTheme } from "./theme";

export function ThemeToggle() {
  const { theme, toggle } = useTheme();
  const isDark = theme === "dark";
  return (
    <Button
      look="quiet"
      size="small"
      label={isDark ? strings.shell.lightTheme : strings.shell.darkTheme}
      icon={isDark ? <SunIcon /> : <MoonIcon />}
      onClick={toggle}
    />
  );
}
