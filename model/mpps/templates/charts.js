/* Draws every chart of the page from its specification; whatever fails shows the picture made by the run. */
(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)").matches;

  function wrap(lines, letters) {
    var rows = [""];
    [].concat(lines).join(" ").split(" ").forEach(function (word) {
      var last = rows[rows.length - 1], longer = last ? last + " " + word : word;
      if (longer.length <= letters || !last) rows[rows.length - 1] = longer; else rows.push(word);
    });
    return rows;
  }

  /* A single view takes the width of its column; panels side by side go below each other where they must, or scroll
     in their own box. Words are wrapped anew. `usermeta.mpps.container` says whether a width may be set. */
  function fit(spec, room) {
    var panels = spec.concat || spec.hconcat || spec.vconcat || spec.facet || spec.repeat;
    var stretch = ((spec.usermeta || {}).mpps || {}).container;
    var own = typeof spec.width === "number" ? spec.width : 0;
    if (spec.concat && spec.columns) {
      var panel = (spec.concat[0].width || 300) + 40;
      spec.columns = Math.max(1, Math.min(spec.columns, Math.floor(room / panel)));
    } else if (!panels && (stretch || own + 120 > room)) {
      spec.width = room;
      spec.autosize = { type: "fit-x", contains: "padding" };
      if (room < 520) spec.config = Object.assign({}, spec.config, {
        legend: Object.assign({}, (spec.config || {}).legend, { orient: "bottom", columns: 2 })
      });
    }
    if (typeof spec.title === "string") spec.title = { text: spec.title };
    if (spec.title && room < 640) {
      spec.title.text = wrap(spec.title.text, room / 8.2);
      if (spec.title.subtitle) spec.title.subtitle = wrap(spec.title.subtitle, room / 6.4);
    }
  }

  function save(link, view, kind, name) {
    link.hidden = false;
    link.addEventListener("click", function (event) {
      event.preventDefault();
      view.toImageURL(kind, 2).then(function (url) {
        var target = document.createElement("a");
        target.href = url;
        target.download = name.replace(/\.svg$/, "." + kind);
        target.click();
      }).catch(console.error);
    });
  }

  function fallBack(figure, error) {
    console.error("chart not drawn:", figure.getAttribute("aria-label"), error);
    figure.querySelector(".drawing").innerHTML = figure.querySelector("noscript").textContent;
    figure.classList.add("still");
  }

  document.querySelectorAll("figure.chart").forEach(function (figure) {
    try {
      var place = figure.querySelector(".drawing");
      var spec = JSON.parse(figure.querySelector("script").textContent);
      spec.background = "transparent";
      fit(spec, place.clientWidth);
      var options = { actions: false, defaultStyle: false, renderer: "svg", tooltip: { theme: dark ? "dark" : "light" } };
      window.mppsEmbed(place, spec, options).then(function (result) {
        var svg = figure.querySelector("a.svg"), name = svg.getAttribute("href").split("/").pop();
        save(svg, result.view, "svg", name);
        save(figure.querySelector("a.png"), result.view, "png", name);
        figure.classList.add("drawn");
      }).catch(function (error) { fallBack(figure, error); });
    } catch (error) { fallBack(figure, error); }
  });
})();
