/* The closed network of mpps.network and mpps.path.compile: n senders, private work, one station, a ceiling.
   A model holds the demands of a variant (mpps.explorer.document); `moves` says where the sliders stand. */
"use strict";
var { min, max, log, exp, pow, abs, floor, ceil, hypot, sqrt, log2, log10 } = Math;

function along(knots, x) {
  var low = 0, high = knots.length / 2 - 1;
  if (x <= knots[0]) return knots[1];
  if (x >= knots[2 * high]) return knots[2 * high + 1];
  while (high - low > 1) {
    var middle = (low + high) >> 1;
    if (knots[2 * middle] <= x) low = middle; else high = middle;
  }
  var x0 = knots[2 * low], y0 = knots[2 * low + 1];
  return y0 + (knots[2 * high + 1] - y0) * (x - x0) / (knots[2 * high] - x0);
}

function unfold(knots, first, step, size) {
  var out = new Float64Array(size);
  if (knots) for (var i = 0; i < size; i++) out[i] = along(knots, first + i * step);
  return out;
}

/* Knots once unfolded: private and section per packet and per skb by n - 1, hand-off by parts of a depth. */
function prepare(model, handoff, last) {
  var m = model.parts, pair = both => both.map(one => unfold(one, 1, 1, last));
  return Object.assign({}, model, {
    privatePair: pair(model.private), sectionPair: model.section && pair(model.section),
    extra: unfold(model.handoff && handoff, 1, 1 / m, last * m), crossing: model.cross && unfold(model.cross, 1, 1, last),
    top: model.ceiling && unfold(model.ceiling, 1, 1, last)
  });
}

/* One lap at n: packets, private work Z and section S without hand-off (ns), and its length at k parts beyond depth 1. */
function lapOf(model, moves, n) {
  var c = model.coalesces && moves.coalescing || model.packets, p = model.privatePair, s = model.sectionPair, i = n - 1;
  var lap = { n: n, packets: c, Z: max(moves.private * (c * p[0][i] + p[1][i]), 1e-3), S: 0 };
  if (!s) return lap;
  lap.S = max(moves.section * (c * s[0][i] + s[1][i]), 1e-3);
  var factor = moves.handoff * (model.crossing ? model.crossing[i] : 1);
  var stays = model.handoff && model.stays;
  lap.at = k => {
    var extra = factor * (stays && n > stays[0] && k / model.parts + 1 > stays[1] ? stays[2] : model.extra[k]);
    return model.relative ? lap.S * (1 + extra / model.relative) : lap.S + extra;
  };
  return lap;
}

/* Exact product form, senders split into m parts: laps per ns, mean senders at the station, how busy it is. The weights
   of 0..n m customers there are summed as logarithms, so that nothing over- or underflows. */
function network(model, lap) {
  var n = lap.n, m = model.parts, N = n * m, k;
  if (!lap.at) return { laps: n / lap.Z, queue: 0, busy: 0, section: 0 };
  var alone = 1 / (lap.Z + lap.S);
  if (model.reading === "bound") {
    var laps = min(n * alone, 1 / lap.S);
    return { laps: laps, queue: max(n - laps * lap.Z, 0), busy: laps * lap.S, section: lap.S };
  }
  if (n === 1) return { laps: alone, queue: alone * lap.S, busy: alone * lap.S, section: lap.S };
  var first = lap.at(0), think = lap.Z + first * (1 - 1 / m), base = log(m * think);
  var weight = new Float64Array(N + 1), top = 0;
  for (k = 0; k < N; k++) {
    weight[k + 1] = weight[k] + log((N - k) * lap.at(k)) - base;
    if (weight[k + 1] > top) top = weight[k + 1];
  }
  var sum = 0, leaving = 0, there = 0, idle = exp(-top);
  for (k = 0; k <= N; k++) {
    if (weight[k] < top - 60) continue;
    var w = exp(weight[k] - top);
    sum += w; leaving += w * (N - k); there += w * k;
  }
  var rate = leaving / sum / think / m, busy = 1 - idle / sum;
  return { laps: rate, queue: there / sum / m + rate * first * (1 - 1 / m), busy: busy, section: busy / rate };
}

/* Smooth minimum of a rate and a ceiling. */
function underCeiling(rate, ceiling, sharpness) {
  var ratio = min(rate, ceiling) / max(rate, ceiling);
  return min(rate, ceiling) * pow(1 + pow(ratio, sharpness), -1 / sharpness);
}

/* Everything about n senders: rate in packets/s, bounds, where the time of a packet goes. `offset`: log correction. */
function solve(model, moves, n, offset) {
  var lap = lapOf(model, moves, n), found = network(model, lap), c = lap.packets, ns = 1e9;
  var laps = found.laps * exp(offset), free = laps * c * ns;
  var ceiling = model.top ? model.top[n - 1] * moves.ceiling : Infinity;
  var rate = model.top ? underCeiling(free, ceiling, model.sharpness) : free;
  var deep = lap.at ? lap.at(model.reading === "bound" ? 0 : (n - 1) * model.parts) : 0;
  var bounds = { private: n * c * ns / (lap.Z + lap.S), station: lap.at ? c * ns / deep : Infinity, ceiling: ceiling };
  var limit = Object.keys(bounds).reduce((a, b) => bounds[b] < bounds[a] ? b : a);
  var handoff = lap.at ? max(found.section - lap.S, 0) / c : 0;
  var cost = { private: lap.Z / c, section: lap.S / c, handoff: handoff };
  cost.wait = lap.at ? max(n / laps / c - cost.private - cost.section - handoff, 0) : 0;
  cost.ceiling = max(n * ns / rate - n * ns / free, 0);
  return {
    n: n, rate: rate, queue: found.queue, section: found.section, busy: min(found.busy * rate / free * exp(offset), 1),
    working: min(rate / c / ns * lap.Z / n, 1), limit: limit, cost: cost, lap: lap
  };
}
