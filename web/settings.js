// What this browser remembers: the unit of amounts and the theme. Nothing else is stored, and no secret.

const kUnits = ["BTC", "sat"];
const kThemes = ["system", "light", "dark"];

function read(name, allowed) {
  try {
    const value = localStorage.getItem(`spv.${name}`);
    return allowed.includes(value) ? value : allowed[0];
  } catch {
    return allowed[0]; // storage may be turned off
  }
}

function write(name, value) {
  try {
    localStorage.setItem(`spv.${name}`, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

export const settings = { unit: read("unit", kUnits), theme: read("theme", kThemes) };

export function saveUnit(unit) {
  settings.unit = unit;
  write("unit", unit);
}

export function saveTheme(theme) {
  settings.theme = theme;
  write("theme", theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
