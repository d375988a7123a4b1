"use strict";
(() => {
  const only = document.getElementById("only");
  const rows = [...document.querySelectorAll("tr[data-case]")];
  function show() {
    for (const row of rows) row.hidden = only.checked && !("differs" in row.dataset);
    for (const head of document.querySelectorAll("tr.area")) {
      let row = head.nextElementSibling;
      let isEmpty = true;
      for (; row && !row.classList.contains("area"); row = row.nextElementSibling) if (!row.hidden) isEmpty = false;
      head.hidden = isEmpty;
    }
  }
  only.addEventListener("change", show);
})();
