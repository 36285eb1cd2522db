(function () {
  function follow() {
    try {
      var theme = window.localStorage.getItem("theme");
      if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
      else delete document.documentElement.dataset.theme;
    } catch (error) { /* a sandboxed frame has no storage: the system's preference decides */ }
  }
  follow();
  window.addEventListener("storage", follow);
  if (window.top === window) document.documentElement.dataset.alone = "";

  // Airflow's frame may not lead its window elsewhere; a link that stands in the window itself may.
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("a.out");
    if (!link || window.top === window || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    try {
      var outside = window.top.document.createElement("a");
      outside.href = link.href;
      outside.click();
      event.preventDefault();
    } catch (error) { /* the window is another site's: the link opens here */ }
  });

  // "/" searches, "j" and "k" walk the lines of a list, "a" acknowledges.
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") focus(document.querySelector("input[type=search]"), event);
    else if (event.key === "a") focus(document.querySelector("button[value=acknowledge]"), event);
    else if (event.key === "j" || event.key === "k") {
      var lines = Array.prototype.slice.call(document.querySelectorAll("a.line"));
      var next = lines.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
      focus(lines[Math.max(0, Math.min(lines.length - 1, next))], event);
    }
  });
  function focus(element, event) {
    if (!element) return;
    element.focus();
    event.preventDefault();
  }
})();
