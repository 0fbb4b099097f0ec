/* Draws every chart of the page from its specification; whatever fails shows the picture made by the run. */
(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)").matches;

  /* A single view that is wider than the page is laid out anew, with its legend below; several views side by side
     keep their size and scroll in their own box. */
  function fit(spec, room) {
    var several = spec.hconcat || spec.vconcat || spec.concat || spec.facet || spec.repeat;
    if (several || typeof spec.width !== "number" || spec.width + 120 <= room) return;
    spec.width = room;
    spec.autosize = { type: "fit-x", contains: "padding" };
    spec.config = spec.config || {};
    if (room < 520) spec.config.legend = Object.assign({}, spec.config.legend, { orient: "bottom", columns: 2 });
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
