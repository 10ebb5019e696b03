"use strict";
(() => {
  const table = document.getElementById("rows");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const said = document.getElementById("shown");
  const filter = document.getElementById("filter");
  filter.parentNode.hidden = false;
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    said.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  };
  filter.addEventListener("input", show);
  Array.from(table.tHead.rows[0].cells).forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const isNumber = head.className === "n";
      const key = (row) => {
        const text = row.cells[at] ? row.cells[at].textContent : "";
        return isNumber ? Number(text.replaceAll(",", "")) || 0 : text;
      };
      const keyed = rows.map((row) => [key(row), row]);
      keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      if (down) keyed.reverse();
      body.append(...keyed.map((pair) => pair[1]));
    });
  });
})();
