/* Event simulation of senders at one first-come-first-served station (mpps.simulation): what the product form cannot know
   of work that hardly varies, and of a section whose length is set when it starts. All cells meet the same random
   numbers, so that what the sliders change is not hidden by noise. */
var REPLICATIONS = 16, SECTIONS = 1500, SKIPPED = 300, MOST = 48, pools = {};

function randoms(seed) {
  return () => {
    seed = seed + 0x6D2B79F5 | 0;
    var t = Math.imul(seed ^ seed >>> 15, 1 | seed);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}

/* Gamma distributed numbers of mean 1 (Marsaglia and Tsang 2000). */
function gammas(variation, size) {
  if (pools[variation]) return pools[variation];
  var next = randoms(1), shape = 1 / (variation * variation), d = shape - 1 / 3, c = 1 / sqrt(9 * d);
  var out = pools[variation] = new Float64Array(size);
  for (var i = 0; i < size;) {
    var x = sqrt(-2 * log(1 - next())) * Math.cos(2 * Math.PI * next()), v = pow(1 + c * x, 3);
    if (v > 0 && log(1 - next()) < x * x / 2 + d - d * v + d * log(v)) out[i++] = d * v / shape;
  }
  return out;
}

/* Mean time between completions in each replication, ns. section[k]: its length with k + 1 senders there. */
function simulate(n, think, section, variation, current) {
  var stride = MOST + 2 * SECTIONS, pool = gammas(variation, REPLICATIONS * stride), periods = [];
  var arrival = new Float64Array(n);
  for (var r = 0; r < REPLICATIONS; r++) {
    var here = r * stride, free = 0, begun = 0, i;
    for (i = 0; i < n; i++) arrival[i] = pool[here + i] * think;
    here += MOST;
    for (var step = 0; step < SECTIONS; step++) {
      var who = 0, depth = 0;
      for (i = 1; i < n; i++) if (arrival[i] < arrival[who]) who = i;
      var start = max(arrival[who], free), work = pool[here++];
      for (i = 0; i < n; i++) if (arrival[i] <= start) depth++;
      if (current) {
        for (var now = start; ;) {
          var next = Infinity;
          for (i = 0; i < n; i++) if (arrival[i] > now && arrival[i] < next) next = arrival[i];
          var pace = section[depth - 1];
          if (next === Infinity || (next - now) / pace >= work) { free = now + work * pace; break; }
          work -= (next - now) / pace; now = next; depth++;
        }
      } else free = start + work * section[depth - 1];
      arrival[who] = free + pool[here++] * think;
      if (step === SKIPPED - 1) begun = free;
    }
    periods.push((free - begun) / (SECTIONS - SKIPPED));
  }
  return periods;
}

/* Log of simulated rate over product form with n senders: mean, and standard error over the replications. As the run's own
   correction it takes the hand-off as its form says, at any count. */
function correctionOf(model, moves, n) {
  if (n < 2 || !model.sectionPair || (model.reading !== "start" && model.reading !== "current")) return { log: 0, error: 0 };
  n = min(n, MOST);
  model = Object.assign({}, model, { stays: null });
  var lap = lapOf(model, moves, n), section = [], k;
  for (k = 0; k < n; k++) section.push(lap.at(k * model.parts));
  var periods = simulate(n, lap.Z, section, model.variation, model.reading === "current");
  var mean = periods.reduce((a, b) => a + b) / REPLICATIONS;
  var square = periods.reduce((a, b) => a + (b - mean) * (b - mean), 0) / (REPLICATIONS - 1);
  return { log: -log(mean * network(model, lap).laps), error: sqrt(square / REPLICATIONS) / mean };
}
