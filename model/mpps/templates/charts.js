/* Draws every chart of the page from its specification; whatever fails shows the picture that the run made. */
(function () {
  "use strict";
  var theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

  /* fitChart knows the workbook's own charts; of others a single view that is too wide is laid out anew, and several
     side by side scroll in their own box. */
  function fit(spec, room) {
    var several = spec.concat || spec.hconcat || spec.vconcat || spec.facet || spec.repeat;
    if (!(spec.usermeta || {}).mpps && !several && typeof spec.width === "number" && spec.width + 120 > room) {
      spec.width = room;
      spec.autosize = { type: "fit-x", contains: "padding" };
    }
    spec.background = "transparent";
    return fitChart(spec, room);
  }

  function download(url, name) {
    var link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }

  /* What is saved is the picture with its title, on white as PNG. */
  function offer(figure, svg) {
    var file = figure.querySelector("a.svg").getAttribute("href").split("/").pop();
    var url = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    figure.querySelector("a.svg").addEventListener("click", function (event) {
      event.preventDefault();
      download(url, file);
    });
    figure.querySelector("a.png").hidden = false;
    figure.querySelector("a.png").addEventListener("click", function (event) {
      event.preventDefault();
      var image = new Image();
      image.onload = function () {
        var canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
        canvas.width = 2 * image.width;
        canvas.height = 2 * image.height;
        pen.fillStyle = "white";
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        download(canvas.toDataURL("image/png"), file.replace(/svg$/, "png"));
      };
      image.src = url;
    });
  }

  document.querySelectorAll("figure.chart").forEach(function (figure) {
    var place = figure.querySelector(".drawing"), caption = figure.querySelector("figcaption");
    var svg = figure.querySelector("noscript").textContent;
    function fallBack(error) {
      console.error("chart not drawn:", figure.getAttribute("aria-label"), error);
      caption.hidden = true;
      place.innerHTML = svg;
      figure.classList.add("still");
    }
    offer(figure, svg);
    try {
      caption.hidden = false;
      var spec = fit(JSON.parse(figure.querySelector("script").textContent), place.clientWidth);
      var options = { actions: false, defaultStyle: false, renderer: "svg", tooltip: { theme: theme } };
      window.mppsEmbed(place, spec, options).then(function () { figure.classList.add("drawn"); }).catch(fallBack);
    } catch (error) { fallBack(error); }
  });
})();
