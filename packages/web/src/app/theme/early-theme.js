// Runs before anything is painted, so that a chosen theme never flashes: a classic script, because modules wait.
try {
  const chosen = localStorage.getItem("parley-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden: then the system's theme it is.
}
