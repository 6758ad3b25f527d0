// Runs before the first paint, so that a chosen theme does not flash. Not a module: those wait for the document.
try {
  const theme = localStorage.getItem("spv.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be turned off; the system's theme applies.
}
