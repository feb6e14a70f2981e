// Before anything is drawn, so that a chosen theme does not flash. A file, because the policy allows no inline script.
(function () {
  try {
    var chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (_) {
    // Without storage the system's theme holds.
  }
})();
