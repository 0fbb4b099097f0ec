/* What the explorer shows of c: the model's numbers at every count, fitted (c.was) and moved (c.now); here: at c.n. */
function say(ui, c) {
  var { page, rated, senders } = ui, here = c.here, gain = here.rate / c.then.rate - 1, station = c.entry.station, lines = [];
  lines.push(c.entry.name + ", " + senders(c.n) + ": " + rated(here.rate) + ", " + (abs(gain) < 5e-4 ? "as fitted." : percent(abs(gain)) + (gain < 0 ? " less" : " more") + " than fitted (" + rated(c.then.rate) + ")."));
  lines.push({
    station: "The " + station + " limits: it is busy " + percent(here.busy) + " of the time, and " + number(here.queue, 2) + " " + page.senders + " stand there on average, the one inside included.",
    ceiling: "The " + c.model.ceilings + " limits" + (c.model.top ? ", at " + rated(c.model.top[c.n - 1] * c.moves.ceiling) + "." : ""),
    "private": "Private work limits: it fills " + percent(here.working) + " of the time of each " + page.sender + "."
  }[here.limit]);
  var best = c.best;
  if (best) {
    var words = senders(best.n) + " carry " + percent(best.rate / here.rate - 1) + " more: ";
    if (here.section > best.section * 1.02) words += number(best.queue, 2) + " of them stand at the " + station + ", and a turn there lasts " + number(best.section) + " ns; with " + c.n + " it is " + number(here.queue, 2) + " of them, and " + number(here.section) + " ns, since handing it on costs more.";
    else words += "there a packet takes " + number(best.cost.private) + " ns of private work, here " + number(here.cost.private) + " ns.";
    lines.push(words);
  }
  if (c.others.length) {
    var low = min(...c.others), high = max(...c.others);
    lines.push("Other explanations of the same table say " + (high / low < 1.005 ? "" : number(low * page.per_pps) + " to ") + rated(high) + ".");
  }
  var place = empty(ui.part(".ex-answer"));
  lines.forEach(words => add(place, "p", {}, words));
}

function drawRate(ui, c) {
  var { page, rated, senders } = ui, entry = c.entry, y = one => one.rate * page.per_pps, points = entry.points;
  var values = c.was.concat(c.now).map(y).concat(points.map(at => at[1])), fence = (value, round) => pow(1.25, round(log(value) / log(1.25)));
  var place = ui.part(".ex-rate div"), at = [], band = entry.band;
  var p = panel(place, place.clientWidth < 420 ? 270 : 360, [1, page.last], [fence(min(...values) * 0.9, floor), fence(max(...values) * 1.1, ceil)], ui.powers, page.senders, page.unit, true, true, 52);
  var shown = { "private": "private work", station: entry.station, ceiling: c.model.ceilings }, turn = 0;
  c.now.forEach((one, i) => {
    var next = c.now[i + 1], edge = next ? p.x((one.n + next.n) / 2) : p.right, from = at.length ? at[at.length - 1] : p.left;
    if (next && next.limit === one.limit) return;
    at.push(edge);
    add(p.shade, "rect", { x: from, y: p.top, width: edge - from, height: p.bottom - p.top, fill: "currentColor", opacity: turn++ % 2 ? 0.1 : 0.04 });
    var words = shown[one.limit] + " limits";
    if (edge - from > words.length * 5.6) text(p.svg, (from + edge) / 2, p.bottom - 6, words, "ex-region", "middle");
  });
  var edges = end => band.n.map((n, k) => p.x(n).toFixed(1) + " " + p.y(band[end][k]).toFixed(1));
  path(p.svg, "M" + edges("upper").concat(edges("lower").reverse()).join("L") + "Z", "ex-band");
  path(p.svg, "M" + p.x(c.n) + " " + p.top + "V" + p.bottom, "ex-cursor");
  if (c.moved) line(p, ui.pairs(c.was, y), "was", c.until);
  line(p, ui.pairs(c.now, y), "now", c.until);
  points.forEach(at => add(mark(p, at[0], at[1], "ex-point", entry.outline), "title", {}, senders(at[0]) + ": " + number(at[1]) + " " + page.unit + " measured, " + at[2]));
  mark(p, c.n, y(c.here), "ex-here");
  label(p, c.n, y(c.here), rated(c.here.rate), c.here.rate < c.then.rate ? 20 : -10);
  var now = p.y(y(c.now[c.now.length - 1])), was = p.y(y(c.was[c.was.length - 1]));
  if (c.moved && abs(now - was) < 15) was = now + (was < now ? -15 : 15);
  text(p.svg, p.right + 6, now + 4, c.moved ? "moved" : "fitted", "ex-strong");
  if (c.moved) text(p.svg, p.right + 6, was + 4, "fitted", "ex-soft");
  ui.caption(".ex-rate", entry.name + ": " + rated(c.here.rate) + " with " + senders(c.n));
  /* A click chooses the count; the svg is as wide as its units, or narrower. */
  p.svg.onclick = event => {
    var box = place.getBoundingClientRect(), share = ((event.clientX - box.left) * p.width / box.width - p.left) / (p.right - p.left);
    ui.set("cores", ui.nearest(page.counts, pow(page.last, share)));
  };
}

function drawStation(ui, c) {
  var { page, senders } = ui, here = c.here, lap = here.lap, m = c.model.parts, queue = one => one.queue;
  ui.part(".ex-two").hidden = !lap.at;
  if (!lap.at) return;
  var last = min(max(2 * c.until, c.n, 4), page.last), near = list => list.filter(one => one.n <= last);
  var p = panel(ui.part(".ex-queue div"), 230, [1, last], [0, max(2, ...near(c.was.concat(c.now)).map(queue)) * 1.1], ui.powers.filter(t => t <= last), page.senders, page.senders + " there, mean", true);
  if (c.moved) line(p, ui.pairs(near(c.was), queue), "was", c.until);
  line(p, ui.pairs(near(c.now), queue), "now", c.until);
  mark(p, c.n, here.queue, "ex-here");
  text(p.svg, p.x(c.n) - 9, p.y(here.queue) - 6, number(here.queue, 2), "ex-bold", "end");
  ui.caption(".ex-queue", number(here.queue, 2) + " of " + senders(c.n) + " stand at the " + c.entry.station);

  var deep = max(4, min(page.last, max(c.until, ceil(here.queue + 1))));
  var turns = one => [...Array((deep - 1) * m + 1).keys()].map(k => [1 + k / m, one.at(k)]), now = turns(lap), was = turns(c.then.lap);
  var q = panel(ui.part(".ex-section div"), 230, [1, deep], [0, max(...now.concat(was).map(at => at[1])) * 1.15], steps(1, deep, 6).filter(t => t % 1 === 0), page.senders + " there", "ns a turn, hand-off included");
  if (c.moved) line(q, was, "was");
  line(q, now, "now", max(...c.was.filter(one => one.n <= c.until).map(queue)));
  if (c.best) {
    mark(q, max(c.best.queue, 1), c.best.section, "ex-there");
    text(q.svg, q.x(max(c.best.queue, 1)) + 8, q.y(c.best.section) + 18, senders(c.best.n), "ex-bold");
  }
  mark(q, max(here.queue, 1), here.section, "ex-here");
  label(q, max(here.queue, 1), here.section, senders(c.n), -10);
  ui.caption(".ex-section", "A turn lasts " + number(here.section) + " ns: " + number(lap.S) + " of section, " + number(max(here.section - lap.S, 0)) + " of hand-off");
}

function drawCost(ui, c) {
  var wait = "waiting for the ", parts = [["private", "private work", "private"], ["section", "section", "serial"], ["handoff", "hand-off", "serial ex-handoff"], ["wait", wait + c.entry.station, "serial ex-wait"], ["ceiling", wait + c.model.ceilings, "ceiling"]];
  var total = cost => parts.reduce((sum, one) => sum + cost[one[0]], 0), here = c.here.cost, was = c.then.cost, all = total(here);
  var place = empty(ui.part(".ex-cost div")), width = max(place.clientWidth, 240), bars = c.moved ? [["moved", here], ["fitted", was]] : [["fitted", here]];
  var svg = add(place, "svg", { viewBox: "0 0 " + width + " " + 34 * bars.length, role: "img", "aria-label": "Where the time of a packet goes; the list below says the same" });
  bars.forEach((bar, row) => {
    var x = 52, scale = (width - x) / max(all, total(was));
    text(svg, 0, 34 * row + 20, bar[0]);
    parts.forEach(one => {
      var wide = bar[1][one[0]] * scale;
      if (wide > 0.3) add(svg, "rect", { x: x, y: 34 * row + 3, width: max(wide - 1, 0.3), height: 26, "class": "ex-" + one[2] });
      x += wide;
    });
  });
  var list = add(place, "ul", { "class": "ex-parts" });
  parts.forEach(one => {
    if (here[one[0]] < 1e-3 * all && was[one[0]] < 1e-3 * all) return;
    var item = add(list, "li", {});
    add(item, "i", { "class": "ex-" + one[2] });
    add(item, "span", {}, one[1]);
    add(item, "b", {}, number(here[one[0]]) + " ns, " + percent(here[one[0]] / all));
  });
  ui.caption(".ex-cost", "A packet takes " + number(all) + " ns with " + ui.senders(c.n) + (c.moved ? "; fitted " + number(total(was)) + " ns" : ""));
}

function fillTable(ui, c) {
  var { page, part } = ui, names = { "private": "private work", station: c.entry.station, ceiling: c.model.ceilings }, body = empty(part("tbody"));
  var rows = c.now.map((one, k) => {
    var point = c.entry.points.find(at => at[0] === one.n), was = c.was[k].rate;
    return [one.n, point ? point[1] : "", was * page.per_pps, one.rate * page.per_pps, one.rate / was - 1, names[one.limit], one.queue, one.section];
  });
  rows.forEach(cells => {
    if (!ui.powers.concat(c.n).includes(cells[0]) && cells[1] === "") return;
    var row = add(body, "tr", {});
    cells.forEach((v, k) => add(row, "td", {}, v.toFixed ? k === 4 ? percent(v) : number(v) : v));
  });
  var heads = [...part("thead").querySelectorAll("th")].map(head => head.textContent);
  part("a[download]").href = "data:text/csv;charset=utf-8," + encodeURIComponent([heads].concat(rows).map(row => row.map(v => v.toFixed ? +v.toPrecision(9) : '"' + v + '"').join(",")).join("\n"));
}
