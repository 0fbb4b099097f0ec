/* What the explorer shows of c: the model's numbers at every count, fitted (c.was) and moved (c.now); here: at c.n. */
function say(ui, c) {
  var { page, part, rated, senders } = ui, here = c.here, gain = here.rate / c.then.rate - 1, station = c.entry.station, lines = [];
  lines.push(c.entry.name + ", " + senders(c.n) + ": " + rated(here.rate) + ", " + (abs(gain) < 5e-4 ? "as fitted." : percent(abs(gain)) + (gain < 0 ? " less" : " more") + " than fitted (" + rated(c.then.rate) + ")."));
  var there = number(here.queue, 2), limit = here.limit;
  lines.push(limit === "station" ? "The " + station + " limits: it is busy " + percent(here.busy) + " of the time, and " + there + " " + page.senders + " stand there on average."
    : limit === "ceiling" ? "The " + c.model.ceilings + " limits, at " + rated(c.model.top[c.n - 1] * c.moves.ceiling) + "."
    : "Private work limits: it fills " + percent(here.working) + " of the time of each " + page.sender + ".");
  var best = c.best;
  if (best) {
    var words = senders(best.n) + " carry " + percent(best.rate / here.rate - 1) + " more: ";
    if (here.section > best.section * 1.02) words += number(best.queue, 2) + " of them stand at the " + station + ", and a turn there lasts " + number(best.section) + " ns; with " + c.n + " it is " + there + " of them, and " + number(here.section) + " ns, since handing it on costs more.";
    else words += "there one " + page.thing + " takes " + number(best.cost.private) + " ns of private work, here " + number(here.cost.private) + " ns.";
    lines.push(words);
  }
  if (c.others.length) {
    var low = min(...c.others), high = max(...c.others);
    lines.push("Other explanations say " + (high / low < 1.005 ? "" : number(low * page.per_pps) + " to ") + rated(high) + ".");
  }
  var place = empty(part(".ex-answer"));
  lines.forEach(words => add(place, "p", 0, words));
}

function drawRate(ui, c) {
  var { page, part, rated, senders } = ui, entry = c.entry, y = one => one.rate * page.per_pps, points = entry.points;
  var values = c.was.concat(c.now).map(y).concat(points.map(at => at[1])), fence = (value, round) => pow(1.25, round(log(value) / log(1.25)));
  var place = part(".ex-rate div"), band = entry.band, least = min(...values), most = max(...values);
  /* The whole band is in view, unless it would press the curve flat. */
  least = max(least / 2.5, min(least, ...band.lower)), most = min(most * 2.5, max(most, ...band.upper));
  var p = panel(place, place.clientWidth < 420 ? 270 : 360, [1, page.last], [fence(least * .9, floor), fence(most * 1.1, ceil)], ui.powers, page.senders, page.unit, true, true, 52);
  var turn = 0, from = p.left;
  c.now.forEach((one, i) => {
    var next = c.now[i + 1], edge = next ? p.x((one.n + next.n) / 2) : p.right, words = ui.limits(c)[one.limit] + " limits";
    if (next && next.limit === one.limit) return;
    add(p.shade, "rect", { x: from, y: p.top, width: edge - from, height: p.bottom - p.top, opacity: turn++ % 2 ? .1 : .04 });
    if (edge - from > words.length * 5.6) text(p.svg, (from + edge) / 2, p.bottom - 6, words, "ex-region", "middle");
    from = edge;
  });
  var edges = end => band.n.map((n, k) => p.x(n).toFixed(1) + " " + p.y(band[end][k]).toFixed(1));
  path(p.svg, "M" + edges("upper").concat(edges("lower").reverse()).join("L") + "Z", "ex-band");
  path(p.svg, "M" + p.x(c.n) + " " + p.top + "V" + p.bottom, "ex-cursor");
  lines(p, c, c.was, c.now, y, c.until);
  points.forEach(at => add(mark(p, at[0], at[1], "ex-point", entry.outline), "title", 0, senders(at[0]) + ": " + number(at[1]) + " " + page.unit + " measured, " + at[2]));
  mark(p, c.n, y(c.here), "ex-here");
  label(p, c.n, y(c.here), rated(c.here.rate), c.here.rate < c.then.rate ? 20 : -10);
  var last = list => p.y(y(list[list.length - 1])) + 4, now = last(c.now), was = last(c.was);
  if (abs(now - was) < 15) was = now + (was < now ? -15 : 15);
  text(p.svg, p.right + 6, now, c.moved ? "moved" : "fitted", "ex-strong");
  if (c.moved) text(p.svg, p.right + 6, was, "fitted");
  ui.caption(".ex-rate", entry.name + ": " + rated(c.here.rate) + " with " + senders(c.n));
  /* A click chooses the count; the svg is as wide as its units, or narrower. */
  p.svg.onclick = event => {
    var box = place.getBoundingClientRect(), share = ((event.clientX - box.left) * p.width / box.width - p.left) / (p.right - p.left);
    ui.set("cores", ui.nearest(page.counts, pow(page.last, share)));
  };
}

function drawStation(ui, c) {
  var { page, part, senders } = ui, here = c.here, lap = here.lap, m = c.model.parts, queue = one => one.queue;
  part(".ex-two").hidden = !lap.at;
  if (!lap.at) return;
  var last = min(max(2 * c.until, c.n, 4), page.last), near = list => list.filter(one => one.n <= last);
  var p = panel(part(".ex-queue div"), 230, [1, last], [0, max(2, ...near(c.was.concat(c.now)).map(queue)) * 1.1], ui.powers.filter(t => t <= last), page.senders, page.senders + " there, mean", true);
  lines(p, c, near(c.was), near(c.now), queue, c.until);
  mark(p, c.n, here.queue, "ex-here");
  text(p.svg, p.x(c.n) - 9, p.y(here.queue) - 6, number(here.queue, 2), "ex-bold", "end");
  ui.caption(".ex-queue", number(here.queue, 2) + " of " + senders(c.n) + " stand at the " + c.entry.station);

  part(".ex-section").hidden = !c.model.handoff;
  if (!c.model.handoff) return;
  var deep = max(4, min(page.last, max(c.until, ceil(here.queue + 1))));
  var turns = one => [...Array((deep - 1) * m + 1).keys()].map(k => ({ n: 1 + k / m, ns: one.at(k) })), now = turns(lap), was = turns(c.then.lap);
  var q = panel(part(".ex-section div"), 230, [1, deep], [0, max(...now.concat(was).map(one => one.ns)) * 1.15], steps(1, deep, 6).filter(t => t % 1 === 0), page.senders + " there", "ns a turn, hand-off included");
  lines(q, c, was, now, one => one.ns, max(...c.was.filter(one => one.n <= c.until).map(queue)));
  if (c.best) {
    mark(q, max(c.best.queue, 1), c.best.section, "ex-there");
    text(q.svg, q.x(max(c.best.queue, 1)) + 8, q.y(c.best.section) + 18, senders(c.best.n), "ex-bold");
  }
  mark(q, max(here.queue, 1), here.section, "ex-here");
  label(q, max(here.queue, 1), here.section, senders(c.n), -10);
  ui.caption(".ex-section", "A turn lasts " + number(here.section) + " ns: " + number(lap.S) + " of section, " + number(max(here.section - lap.S, 0)) + " of hand-off");
}

function drawCost(ui, c) {
  var { page, part } = ui, wait = "waiting for the ", parts = [["private", "private work"], ["section", "section"], ["handoff", "hand-off"], ["wait", wait + c.entry.station], ["ceiling", wait + c.model.ceilings]];
  var total = cost => parts.reduce((sum, one) => sum + cost[one[0]], 0), here = c.here.cost, was = c.then.cost, all = total(here);
  var place = empty(part(".ex-cost div")), width = place.clientWidth, bars = c.moved ? [["moved", here], ["fitted", was]] : [["fitted", here]];
  var svg = add(place, "svg", { viewBox: "0 0 " + width + " " + 34 * bars.length, role: "img", "aria-label": "Times, as listed below" });
  bars.forEach((bar, row) => {
    var x = 52, scale = (width - x) / max(all, total(was));
    text(svg, 0, 34 * row + 20, bar[0]);
    parts.forEach(one => {
      var wide = bar[1][one[0]] * scale;
      if (wide > .3) add(svg, "rect", { x: x, y: 34 * row + 3, width: max(wide - 1, .3), height: 26, class: "ex-is-" + one[0] });
      x += wide;
    });
  });
  var list = add(place, "ul");
  parts.forEach(one => {
    if (here[one[0]] < 1e-3 * all && was[one[0]] < 1e-3 * all) return;
    var item = add(list, "li");
    add(item, "i", { class: "ex-is-" + one[0] });
    add(item, "span", 0, one[1]);
    add(item, "b", 0, number(here[one[0]]) + " ns, " + percent(here[one[0]] / all));
  });
  ui.caption(".ex-cost", "One " + page.thing + " takes " + number(all) + " ns with " + ui.senders(c.n) + (c.moved ? "; fitted " + number(total(was)) + " ns" : ""));
}

function fillTable(ui, c) {
  var { page, part } = ui, body = empty(part("tbody")), csv = [...part("thead").rows[0].cells].map(head => '"' + head.textContent + '"').join();
  c.now.forEach((one, k) => {
    var point = c.entry.points.find(at => at[0] === one.n), was = c.was[k].rate, row;
    var cells = [one.n, point ? point[1] : "", was * page.per_pps, one.rate * page.per_pps, one.rate / was - 1, ui.limits(c)[one.limit], one.queue, one.section];
    csv += "\n" + cells.map(v => v.toFixed ? +v.toPrecision(9) : '"' + v + '"').join();
    if (!point && !ui.powers.includes(one.n) && one.n !== c.n) return;
    row = add(body, "tr");
    cells.forEach((v, k) => add(row, "td", 0, v.toFixed && k ? k === 4 ? percent(v) : number(v) : v));
  });
  part("a[download]").href = "data:text/csv;charset=utf-8," + encodeURIComponent(csv);
}
