// Theme: light, dark, or that of the system.

const KEY = "hapsim-theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const LABELS = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

export function setUpTheme(button) {
  let theme = localStorage.getItem(KEY) ?? "system";
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
    button.setAttribute("aria-label", LABELS[theme]);
    button.title = LABELS[theme];
  };
  button.addEventListener("click", () => {
    theme = NEXT[theme] ?? "system";
    localStorage.setItem(KEY, theme);
    show();
  });
  show();
}
