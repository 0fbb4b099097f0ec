/* Panels in SVG: points are measured, lines are the model, dashes lie beyond the data. Values enter as text only. */
function add(parent, tag, attributes, words) {
  var space = tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI, made = document.createElementNS(space, tag);
  for (var name in attributes) made.setAttribute(name, attributes[name]);
  if (words !== undefined) made.textContent = words;
  return parent.appendChild(made);
}

function empty(place) { place.textContent = ""; return place; }

/* Three significant digits, none before the point cut, as mpps.text.number. */
function number(value, digits) {
  var places = abs(value) > 1e-6 ? max((digits || 3) - 1 - floor(log10(abs(value)) + 1e-12), 0) : 0;
  return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
}

function percent(share) { return number(100 * share, 2) + "\u00a0%"; }

function steps(low, high, most) {
  var rough = (high - low) / most, power = pow(10, floor(log10(rough))), out = [];
  var step = power * [1, 2, 5, 10].filter(m => m * power >= rough * .999)[0];
  for (var k = ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) out.push(k * step);
  return out;
}

function decades(low, high) {
  if (high / low < 4) return steps(low, high, 5);
  for (var k = floor(log10(low)), out = []; k <= log10(high); k++)
    [1, 2, 5].forEach(m => { var t = m * pow(10, k); if (t >= low && t <= high) out.push(t); });
  return out;
}

function path(svg, d, className) { return add(svg, "path", { d: d, class: className }); }

/* Words at x, y: plain, or with a class, or ending ("end") or centred ("middle") there. */
function text(svg, x, y, words, className, anchor) {
  return add(svg, "text", { x: x, y: y, class: className || "", "text-anchor": anchor || "start" }, words);
}

/* Axes and grid in `place`; returns the svg and its scales. Ends of x and y; whether they are logarithmic. */
function panel(place, height, x, y, ticks, xTitle, yTitle, logX, logY, room) {
  var marks = (logY ? decades : steps)(...y, 4).map(t => [t, (+t.toPrecision(3)).toLocaleString("en")]);
  var width = place.clientWidth || 300, left = 16 + 7 * max(3, ...marks.map(one => one[1].length)), right = width - (room || 14), top = 26, bottom = height - 36;
  var svg = add(empty(place), "svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": yTitle + " against " + xTitle });
  function scale(ends, logarithmic, from, to) {
    var f = logarithmic ? log : v => v, low = f(ends[0]), high = f(ends[1]);
    return v => from + (to - from) * (f(min(max(v, ends[0]), ends[1])) - low) / (high - low);
  }
  var p = { svg, width, left, right, top, bottom, shade: add(svg, "g") };
  p.x = scale(x, logX, left, right);
  p.y = scale(y, logY, bottom, top);
  marks.forEach(one => {
    path(svg, "M" + left + " " + p.y(one[0]) + "H" + right, "ex-grid");
    text(svg, left - 6, p.y(one[0]) + 4, one[1], "", "end");
  });
  ticks.forEach(t => text(svg, p.x(t), bottom + 16, t, "", "middle"));
  path(svg, "M" + left + " " + bottom + "H" + right, "ex-axis");
  text(svg, 0, 12, yTitle);
  text(svg, (left + right) / 2, height - 4, xTitle, "", "middle");
  return p;
}

/* A line through y of a list over its n; dashed beyond `until`. */
function line(p, list, y, className, until) {
  var near = list.filter(one => !(one.n > until)).length;
  [list.slice(0, near), list.slice(max(near - 1, 0))].forEach((part, beyond) => {
    var d = part.map(one => p.x(one.n).toFixed(1) + " " + p.y(y(one)).toFixed(1)).join("L");
    if (part[1]) path(p.svg, "M" + d, "ex-line " + className + (beyond ? " beyond" : ""));
  });
}

/* Grey as fitted, coloured as moved. */
function lines(p, c, was, now, y, until) {
  if (c.moved) line(p, was, y, "was", until);
  line(p, now, y, "now", until);
}

/* A point: a dot, or another outline around 0, 0. */
function mark(p, x, y, className, outline) {
  var made = path(p.svg, outline || "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z", className);
  made.setAttribute("transform", "translate(" + p.x(x) + " " + p.y(y) + ")");
  return made;
}

/* Words at a point of the plot, on the side where there is room. */
function label(p, x, y, words, dy) {
  var left = p.x(x) > p.right - 7 * words.length - 12;
  text(p.svg, p.x(x) + (left ? -9 : 9), p.y(y) + dy, words, "ex-bold", left ? "end" : "start");
}
