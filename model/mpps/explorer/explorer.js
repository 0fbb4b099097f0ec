/* The sliders of a page, and the link that holds their state. */
function explorer(root) {
  var part = css => root.querySelector(css), page = JSON.parse(part("script").textContent), key = root.id, state, waiting, held, width, prepared = {}, simulated = {};
  var FITTED = { private: 1, section: 1, handoff: 1, coalescing: null, ceiling: 1 }, MOVED = Object.keys(FITTED), NAMES = MOVED.concat("cores");
  var input = name => part("[name=" + name + "]");
  var rated = pps => number(pps * page.per_pps) + "\u00a0" + page.unit, senders = n => n + " " + (n === 1 ? page.sender : page.senders);
  var has = (model, name) => name === "cores" || name === "private" || model[name === "coalescing" ? "coalesces" : name];
  var ui = { page, part, rated, senders, set, nearest, powers: [],
    caption: (css, words) => { part(css + " b").textContent = words; },
    limits: c => ({ private: "private work", station: c.entry.station, ceiling: c.model.ceilings }) };
  for (var k = 1; k <= page.last; k *= 2) ui.powers.push(k);

  function models() {
    return prepared[state.variant] = prepared[state.variant] || page.variants[state.variant].models.map(one => prepare(one, page.mechanisms[one.mechanism].handoff, page.last));
  }
  /* The settings of a slider; null is what the run fitted. */
  function settings(model, name) {
    if (name !== "coalescing") return { cores: page.counts, handoff: page.handoff_factors }[name] || page.factors;
    var own = page.coalescing.filter(c => abs(c / model.packets - 1) > .05);
    return own.filter(c => c < model.packets).concat(null, own.filter(c => c > model.packets));
  }
  function nearest(list, value, model) {
    var far = list.map(one => abs((one === null ? model.packets : one) - value));
    return far.indexOf(min(...far));
  }
  /* What a variant does not have is not moved. */
  function movesOf(model) {
    var moves = {};
    MOVED.forEach(name => { moves[name] = has(model, name) ? state[name] : FITTED[name]; });
    return moves;
  }

  function isMoved(moves) { return MOVED.some(name => moves[name] !== FITTED[name]); }

  /* Log correction at n: the run's for the fitted values, and by how much it moves, simulated in the page at `counts`. */
  function corrected(model, place, moves, counts) {
    var stored = n => model.correction ? along(model.correction, log(n)) : 0, difference = [0, 0], errors = [0, 0];
    if (model.correction && isMoved(moves)) counts.forEach(n => {
      var known = [state.variant, place, n], was = simulated[known] = simulated[known] || correctionOf(model, FITTED, n), now = correctionOf(model, moves, n);
      difference.push(log(n), now.log - was.log);
      errors.push(log(n), hypot(now.error, was.error));
    });
    return { at: n => n < 2 ? 0 : stored(n) + along(difference, log(n)), error: n => along(errors, log(n)) };
  }

  /* Until the sliders rest the correction stays that of the last position. */
  function compute(settled) {
    var all = models(), model = all[0], moves = movesOf(model), n = page.counts[state.cores], entry = page.variants[state.variant];
    var run = (one, its, count, by) => solve(one, its, count, by.at(count));
    var fitted = corrected(model, 0, FITTED, []), now = settled ? corrected(model, 0, moves, page.anchors) : held && held.entry === entry ? held.now : fitted;
    held = { entry, now };
    var c = { entry, model, moves, n, moved: isMoved(moves), error: 2.95 * now.error(n) + page.rounding };
    c.was = page.counts.map(count => run(model, FITTED, count, fitted));
    c.now = page.counts.map(count => run(model, moves, count, now));
    c.then = c.was[state.cores];
    c.here = c.now[state.cores];
    c.others = settled ? all.slice(1).map((one, place) => run(one, movesOf(one), n, corrected(one, place + 1, movesOf(one), [min(n, MOST)])).rate) : [];
    c.until = max(1, ...entry.points.map(at => at[0]));
    /* Fewer senders that carry more: a count that was measured, if there is one. */
    var fewer = c.now.filter(one => one.n < n && one.rate > 1.02 * c.here.rate), known = fewer.filter(one => entry.points.some(at => at[0] === one.n));
    c.best = (known.length ? known : fewer).sort((a, b) => b.rate - a.rate)[0];
    return c;
  }

  function controls(c) {
    var lap = c.here.lap, per = c.model.coalesces ? " ns a lap" : " ns", largest = max(...c.model.extra) * c.moves.handoff * (c.model.relative ? lap.S / c.model.relative : 1);
    var words = { cores: c.n, private: number(lap.Z) + per, section: number(lap.S) + per, handoff: largest ? "up to " + number(largest) + " ns" : "none",
      coalescing: +lap.packets.toPrecision(3) + " per skb", ceiling: c.model.top ? rated(c.model.top[c.n - 1] * c.moves.ceiling) : "" };
    input("variant").selectedIndex = state.variant;
    root.style.setProperty("--ex-now", c.entry.colour);
    NAMES.forEach(name => {
      var slider = input(name), list = settings(c.model, name);
      if (!slider) return;
      var row = slider.parentNode, out = slider.previousElementSibling, moved = name !== "cores" && c.moves[name] !== FITTED[name];
      row.hidden = !has(c.model, name);
      slider.max = list.length - 1;
      slider.value = name === "cores" ? state.cores : list.indexOf(state[name]);
      out.textContent = words[name] + (moved && name !== "coalescing" ? ", \u00d7" + c.moves[name] : "");
      out.className = moved ? "moved" : "";
      slider.setAttribute("aria-valuetext", out.textContent);
    });
  }

  function show(settled) {
    var c = compute(settled), best = page.mechanisms[c.entry.models[0].mechanism];
    controls(c); drawRate(ui, c); drawStation(ui, c); drawCost(ui, c);
    root.dataset.settled = settled;
    if (!settled) return;
    say(ui, c); fillTable(ui, c);
    part(".ex-leading").textContent = "\u201c" + best.name + "\u201d (weight " + percent(best.weight) + "): " + best.words;
    part(".ex-simulated").hidden = !c.model.correction || c.model.parts < 2;
    part(".ex-error").textContent = c.moved ? ", here good to " + number(100 * c.error, 2) + "\u00a0% (99\u00a0% interval)" : "";
    Object.assign(root.dataset, { rate: c.here.rate * page.per_pps, limit: c.here.limit, error: c.error });
  }
  /* The line follows the hand; simulation and words come when it rests. */
  function update() {
    show(false);
    clearTimeout(waiting);
    waiting = setTimeout(() => show(true), 120);
  }
  function set(name, value) {
    if (state[name] === value) return;
    state[name] = value;
    update();
    address(link());
  }
  function address(text) {
    try { history.replaceState(null, "", text); } catch (refused) { /* a page in a mail has no address */ }
  }

  function link() {
    var parts = ["variant:" + encodeURIComponent(page.variants[state.variant].name)];
    MOVED.forEach(name => { if (has(models()[0], name) && state[name] !== FITTED[name]) parts.push(name + ":" + state[name]); });
    return "#" + key + "=" + parts.concat("cores:" + page.counts[state.cores]).join(";");
  }
  function start() {
    state = Object.assign({ variant: page.variants.findIndex(one => one.name === page.start.variant), cores: nearest(page.counts, page.start.cores) }, FITTED);
  }
  /* What is no name and no number is left out; what is too large or too small becomes the nearest setting. */
  function restore() {
    var found = new Map();
    if (!location.hash.startsWith("#" + key + "=")) return false;
    start();
    location.hash.slice(key.length + 2).split(";").forEach(one => {
      var [name, text] = one.split(":");
      try { found.set(name, decodeURIComponent(text)); } catch (broken) { /* left out */ }
    });
    page.variants.forEach((one, k) => { if (one.name === found.get("variant")) state.variant = k; });
    NAMES.forEach(name => {
      var value = parseFloat(found.get(name)), model = models()[0], list = settings(model, name), k = nearest(list, value, model);
      if (isFinite(value) && has(model, name)) state[name] = name === "cores" ? k : list[k];
    });
    return true;
  }

  NAMES.forEach(name => {
    if (input(name)) input(name).addEventListener("input", event => set(name, name === "cores" ? +event.target.value : settings(models()[0], name)[event.target.value]));
  });
  input("variant").addEventListener("change", event => { state.coalescing = null; set("variant", event.target.selectedIndex); });
  input("reset").addEventListener("click", () => { start(); update(); address(location.pathname + location.search); });
  input("copy").addEventListener("click", () => {
    var text = location.href.split("#")[0] + link(), told = words => { part(".ex-copied").textContent = words; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => told("copied"), () => told(text)); else told(text);
  });
  addEventListener("hashchange", () => { if (restore()) show(true); });
  start();
  var find = restore() ? () => root.scrollIntoView() : () => 0;
  part(".ex-live").hidden = false;
  show(true);
  new ResizeObserver(() => {
    if (root.clientWidth !== width) { width = root.clientWidth; show(true); }
  }).observe(root);
  find();
  addEventListener("load", find);
}

document.querySelectorAll(".explorer").forEach(root => {
  try { explorer(root); } catch (error) {
    console.error("explorer:", error);
    root.querySelector(".ex-live").hidden = true;
  }
});
