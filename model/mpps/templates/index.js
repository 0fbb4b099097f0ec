/* Search, filter and sort. Without this script the page shows everything in its first order. */
(function () {
  "use strict";
  var tools = document.querySelector(".tools"), words = document.getElementById("words"), status = document.getElementById("status");
  var count = document.getElementById("count");
  var entries = Array.prototype.map.call(document.querySelectorAll("[data-status]"), function (node) {
    return { node: node, status: node.dataset.status, text: node.textContent.toLowerCase() };
  });

  function show() {
    var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0, pages = 0;
    entries.forEach(function (entry) {
      var fits = (!status.value || entry.status === status.value) &&
        wanted.every(function (word) { return entry.text.indexOf(word) >= 0; });
      if (entry.node.hidden === fits) entry.node.hidden = !fits;
      if (entry.node.tagName !== "ARTICLE") return;
      pages += 1;
      shown += fits ? 1 : 0;
    });
    count.textContent = shown === pages ? pages + " pages" : shown + " of " + pages + " pages";
  }

  tools.hidden = false;
  words.addEventListener("input", show);
  status.addEventListener("change", show);
  show();

  /* A column's button sorts by it, and again the other way round; empty cells stay last. */
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = Array.prototype.slice.call(table.querySelectorAll("thead th"));
    heads.forEach(function (head, place) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") === "ascending", sign = down ? -1 : 1, body = table.tBodies[0];
        function key(row) {
          var raw = row.cells[place].dataset.key;
          return raw === undefined ? null : isNaN(raw) || raw === "" ? raw : Number(raw);
        }
        var rows = Array.prototype.map.call(body.rows, function (row) { return { row: row, key: key(row) }; });
        rows.sort(function (a, b) {
          if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
          if (typeof a.key !== typeof b.key) return typeof a.key === "number" ? -1 : 1;
          return sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
        });
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append.apply(body, rows.map(function (one) { return one.row; }));
      });
    });
  });
})();
