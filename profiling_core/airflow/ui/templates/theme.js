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
})();
