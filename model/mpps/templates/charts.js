/* Draws each chart of the page when it comes near; until then, and where anything fails, the picture of the run stays. */
(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var figures = Array.prototype.slice.call(document.querySelectorAll("figure.chart"));
  var loading;

  function unpacked(id) {
    var letters = atob(document.getElementById(id).textContent), bytes = new Uint8Array(letters.length);
    for (var i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  /* The specifications by number, after vega has run: once a page, when the first chart asks. */
  function loaded() {
    if (!loading)
      loading = Promise.resolve().then(function () {
        return Promise.all([unpacked("mpps-vega"), unpacked("mpps-charts")]);
      }).then(function (texts) {
        var script = document.createElement("script");
        script.textContent = "(function () {" + texts[0] + "})();";
        document.head.appendChild(script).remove();
        return JSON.parse(texts[1]);
      });
    return loading;
  }

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

  function onClick(link, act) {
    if (link)
      link.addEventListener("click", function (event) {
        event.preventDefault();
        act(link.getAttribute("href").split("/").pop());
      });
  }

  /* What is saved is the picture with its title, on white as PNG, from the page itself: no other file is needed. */
  function offer(figure, picture) {
    function url() {
      var copy = picture.cloneNode(true);
      copy.setAttribute("color", "#1f2328");
      return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(copy));
    }
    onClick(figure.querySelector("a.svg"), function (file) { download(url(), file); });
    figure.querySelector("a.png").hidden = false;
    onClick(figure.querySelector("a.png"), function (file) {
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
      image.src = url();
    });
    onClick(figure.querySelector("a.csv"), function (file) {
      unpacked("mpps-charts").then(function (text) {
        var csv = JSON.parse(text)[figure.dataset.chart].csv;
        download("data:text/csv;charset=utf-8," + encodeURIComponent(csv), file);
      });
    });
  }

  function draw(figure) {
    var place = figure.querySelector(".drawing"), caption = figure.querySelector("figcaption");
    var fresh = document.createElement("div"), picture = figure.picture;
    function keep(error) {
      console.error("chart not drawn:", figure.getAttribute("aria-label"), error);
      caption.hidden = true;
      place.replaceChildren(picture);
      figure.classList.add("still");
    }
    figure.room = place.clientWidth;
    loaded().then(function (charts) {
      var spec = fit(JSON.parse(JSON.stringify(charts[figure.dataset.chart].spec)), place.clientWidth);
      var theme = dark.matches ? "dark" : "light";
      var options = { actions: false, defaultStyle: false, renderer: "svg", tooltip: { theme: theme } };
      caption.hidden = false;
      place.replaceChildren(fresh);
      return window.mppsEmbed(fresh, spec, options);
    }).then(function (made) {
      if (figure.view) figure.view.finalize();
      figure.view = made.view;
      var svg = fresh.querySelector("svg");
      if (svg) {
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", picture.getAttribute("aria-label"));
      }
      figure.classList.add("drawn");
    }).catch(keep);
  }

  figures.forEach(function (figure) {
    figure.picture = figure.querySelector(".drawing svg");
    offer(figure, figure.picture);
  });

  /* Charts are drawn one screen ahead; `mppsDrawAll` draws those that are left, for tests and screenshots. */
  var waiting = new Set(figures);
  function start(figure) {
    if (waiting.delete(figure)) draw(figure);
  }
  window.mppsDrawAll = function () { Array.from(waiting).forEach(start); };
  if (window.IntersectionObserver) {
    var near = new IntersectionObserver(function (seen) {
      seen.forEach(function (one) {
        if (one.isIntersecting) {
          near.unobserve(one.target);
          start(one.target);
        }
      });
    }, { rootMargin: "100% 0px" });
    figures.forEach(function (figure) { near.observe(figure); });
  } else window.mppsDrawAll();

  /* A page that becomes wider or narrower lays its charts out anew. */
  var timer;
  window.addEventListener("resize", function () {
    clearTimeout(timer);
    timer = setTimeout(function () {
      figures.forEach(function (figure) {
        var room = figure.querySelector(".drawing").clientWidth;
        if (figure.classList.contains("drawn") && Math.abs(room - figure.room) > 8) draw(figure);
      });
    }, 200);
  });
})();
