// The explorer on the screen: sliders, one chart, and the answer in words. Python does all the mathematics;
// this module draws what it says. It asks again only when it has its answer, and then with the latest position.

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 240; // positions of a slider
const MAIN = 6; // sliders that are not folded away
const GIVE_UP = 30000; // ms without an answer, after which the kernel is taken to have gone

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  // JupyterLab takes the arrow keys of whatever has the focus, unless that says so itself.
  if (["input", "select", "button", "summary"].includes(tag)) made.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

function drawn(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Three significant digits, thousands parted, as the text of the page has them.
export function figure(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e9)) return value.toExponential(digits - 1);
  const decimals = value === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)) + 1e-12));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// Round ticks of a logarithmic axis: 1, 2, 5 of each decade, fewer where these are many.
export function ticks(low, high, most = 7) {
  for (const digits of [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const found = [];
    for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++)
      for (const digit of digits) {
        const tick = Number((digit * 10 ** decade).toPrecision(6));
        if (tick >= low && tick <= high) found.push(tick);
      }
    if (found.length <= most) return found;
  }
  return [];
}

const place = (value, low, high) => Math.log(value / low) / Math.log(high / low);
const valueAt = (step, control) => control.low * (control.high / control.low) ** (step / STEPS);

// Asks the model with the latest position, one question at a time.
class Asker {
  constructor(model, told) {
    Object.assign(this, { model, told, number: model.get("answer").number ?? 0, waiting: 0, next: null, timer: 0 });
    this.heard = () => this.receive();
    model.on("change:answer", this.heard);
  }
  position(position) {
    this.next = { position };
    this.began ??= performance.now();
    this.send();
  }
  simulate() {
    this.then = { simulate: true };
    this.send();
  }
  send() {
    if (this.waiting || !(this.next || this.then)) return;
    const asked = this.next ?? this.then;
    if (this.next) this.next = null;
    else this.then = null;
    this.sent = this.began ?? performance.now();
    this.began = undefined;
    this.waiting = ++this.number;
    this.model.set("asked", { number: this.waiting, ...asked });
    this.model.save_changes();
    this.told({ busy: true, simulating: Boolean(asked.simulate) });
    this.timer = setTimeout(() => {
      this.waiting = 0;
      this.told({ lost: true });
    }, GIVE_UP);
  }
  receive() {
    const answer = this.model.get("answer");
    const mine = answer.number === this.waiting && this.waiting > 0;
    if (mine) {
      clearTimeout(this.timer);
      this.waiting = 0;
    }
    // Where a later position waits, this one is still drawn: it is newer than what the screen shows.
    this.told({ answer, mine, took: mine ? performance.now() - this.sent : undefined });
    this.send();
  }
  stop() {
    clearTimeout(this.timer);
    this.model.off("change:answer", this.heard);
  }
}

class View {
  constructor(model, el) {
    Object.assign(this, { model, el, id: `mpps-explore-${Math.random().toString(36).slice(2)}` });
    this.at = { settings: {} }; // where the hand has put the sliders
    this.frameDrawn = "";
    this.build();
    this.asker = new Asker(model, (news) => this.hear(news));
    this.size = new ResizeObserver(() => this.chart());
    this.size.observe(this.plot);
    this.show(model.get("answer"));
  }

  build() {
    this.root = element("section", { class: "mpps-explore", "aria-label": "Explorer", "data-state": "ready" });
    this.heading = element("h3");
    this.choices = element("div", { class: "choices" });
    this.plot = element("div", { class: "plot" });
    this.svg = drawn("svg", { role: "img" });
    this.plot.append(this.svg);
    this.key = element("ul", { class: "key", "aria-label": "Key" });
    this.answerBox = element("div", { class: "answer" });
    this.live = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.trouble = element("p", { class: "trouble", role: "alert", hidden: true });
    this.note = element("p", { class: "note" });
    this.simulateButton = element("button", { type: "button", class: "simulate", onclick: () => this.asker.simulate() }, "Simulate");
    this.simulated = element("span", { class: "simulated" });
    this.exact = element("p", { class: "exact" }, this.simulateButton, " ", this.simulated);
    this.sliders = element("div", { class: "sliders", role: "group", "aria-label": "Sliders" });
    this.resetButton = element("button", { type: "button", class: "reset", onclick: () => this.reset() }, "Back to the fit");
    const left = element("div", { class: "left" }, this.plot, this.key);
    const under = element("div", { class: "under" }, this.note, this.exact);
    const right = element("div", { class: "right" }, this.answerBox, this.trouble, this.sliders, this.resetButton);
    this.root.append(this.heading, this.choices, element("div", { class: "body" }, left, right, under), this.live);
    this.el.append(this.root);
  }

  hear(news) {
    if (news.busy) {
      this.root.dataset.state = news.simulating ? "simulating" : "busy";
      if (news.simulating) this.simulated.textContent = "Simulating…";
    }
    if (news.lost) {
      this.root.dataset.state = "lost";
      this.complain("The kernel does not answer: run the cell again.");
    }
    if (news.answer) {
      this.show(news.answer, news.mine);
      if (news.took !== undefined) this.root.dataset.milliseconds = news.took.toFixed(0);
      if (!this.asker.waiting && !this.asker.next) this.root.dataset.state = "ready";
    }
  }

  complain(words) {
    this.trouble.textContent = words;
    this.trouble.hidden = !words;
  }

  show(answer, mine = false) {
    if (!answer.n) return;
    const frame = this.model.get("frame");
    if (answer.simulated) this.exactly = answer.simulated;
    else if (!same(this.exactly?.position, answer.position)) this.exactly = null;
    this.answer = answer;
    this.frame = frame;
    // While a newer position is on its way the sliders stay where the hand has put them.
    const settled = !this.asker || !(this.asker.next || this.asker.waiting);
    if (settled) this.at = structuredClone(answer.position);
    const about = JSON.stringify([frame.choices, frame.controls, frame.counts]);
    if (about !== this.frameDrawn) {
      this.frameDrawn = about;
      this.makeChoices();
      this.makeSliders();
    }
    if (settled) this.placeSliders();
    this.complain(answer.trouble);
    this.say();
    this.chart();
    this.root.dataset.number = answer.number;
    if (mine || answer.number === 0) this.speak(answer.says.all);
  }

  // Screen readers hear where the sliders came to rest, not every step.
  speak(words) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => (this.live.textContent = words), 600);
  }

  say() {
    const { answer, frame } = this;
    const says = answer.says;
    this.heading.textContent = frame.title;
    this.root.setAttribute("aria-label", `Explorer of ${frame.title}`);
    const gain = answer.gain.moved ? `× ${figure(answer.gain.median)}` : "× 1";
    const headline = element("p", { class: "headline" },
      element("output", { class: "rate", "data-value": answer.here.median }, `${figure(answer.here.median)} ${frame.unit}`),
      element("span", { class: "band" }, `90 %: ${figure(answer.here.lower)} to ${figure(answer.here.upper)}`),
      element("output", { class: answer.gain.moved ? "gain" : "gain still", "data-value": answer.gain.median }, gain));
    const lines = [says.measured, says.gain, says.limit].filter(Boolean).map((text) => element("p", {}, text));
    this.answerBox.replaceChildren(headline, ...lines, ...this.cost());
    this.note.textContent = says.note;
    this.exact.hidden = !(frame.simulates && Object.keys(answer.position.settings).length);
    this.simulated.textContent = this.exactly ? this.exactly.says : "";
    this.resetButton.hidden = !Object.keys(this.at.settings).length;
  }

  cost() {
    const cost = this.answer.cost;
    if (!cost) return [];
    const kinds = { "private work": "private", "hand-off and waiting": "waiting", "slowdown by shared lines": "slowed" };
    const bar = element("div", { class: "bar", role: "img", "aria-label": this.answer.says.cost });
    const names = element("ul", { class: "parts" });
    for (const part of cost.stages) {
      const kind = kinds[part.stage] ?? (part.stage.startsWith("waiting") ? "waiting" : "serial");
      bar.append(element("span", { class: kind, style: `flex-grow:${part.share}` }));
      names.append(element("li", { class: kind }, `${part.stage} `, element("b", {}, `${figure(part.ns)} ns`)));
    }
    const head = element("p", {}, `One ${this.frame.thing} takes `, element("b", {}, `${figure(cost.ns)} ns`),
      ` of a ${this.frame.senders.replace(/s$/, "")}'s time`);
    return [element("div", { class: "cost" }, head, bar, names)];
  }

  makeChoices() {
    const focused = this.root.contains(document.activeElement) ? document.activeElement.id : "";
    this.choices.replaceChildren(...this.frame.choices.filter((choice) => choice.options.length > 1).map((choice) => {
      const id = `${this.id}-${choice.name}`;
      const select = element("select", { id, "data-choice": choice.name, onchange: (event) => this.choose(choice.name, event.target.value) });
      for (const [value, label] of choice.options) select.append(element("option", { value, selected: value === choice.value }, label));
      select.value = choice.value;
      return element("div", { class: "choice" }, element("label", { for: id }, choice.label), select);
    }));
    if (focused) this.root.querySelector(`#${focused}`)?.focus();
  }

  makeSliders() {
    const { frame } = this;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.id : "";
    const open = this.sliders.querySelector("details")?.open ?? false;
    this.inputs = new Map();
    const cores = this.slider({ name: "cores", label: frame.senders, words: "", marks: [] }, frame.counts.length - 1);
    const rest = frame.controls.map((control) => this.slider(control, STEPS));
    const folded = rest.length > MAIN + 1 ? rest.splice(MAIN) : [];
    this.sliders.replaceChildren(cores, ...rest);
    if (folded.length) this.sliders.append(element("details", { open }, element("summary", {}, `${folded.length} more, which move the rate less`), ...folded));
    if (focused) this.root.querySelector(`#${focused}`)?.focus();
  }

  slider(control, steps) {
    const id = `${this.id}-${control.name}`;
    const rail = element("div", { class: "rail" });
    const input = element("input", {
      id, type: "range", min: 0, max: steps, step: 1, "data-name": control.name, "aria-describedby": control.words ? `${id}-words` : undefined,
      oninput: () => this.slid(control, input),
    });
    const value = element("output", { for: id });
    const back = element("button", { type: "button", class: "back", title: "back to the fit", "aria-label": `${control.label}: back to the fit`, onclick: () => this.back(control.name) }, "↺");
    if (control.low) {
      const at = (number) => Math.min(1, Math.max(0, place(number, control.low, control.high))).toFixed(4);
      rail.append(
        element("span", { class: "interval", style: `--from:${at(control.lower)};--to:${at(control.upper)}` }),
        element("span", { class: "median", style: `--at:${at(control.median)}` }));
    }
    rail.append(input);
    const words = control.low
      ? `${control.words} Fit: ${this.shown(control, control.median)} (90 %: ${figure(control.lower * control.scale)} to ${figure(control.upper * control.scale)}).`
      : "";
    this.inputs.set(control.name, { control, input, value, back });
    return element("div", { class: "slider", title: words || undefined },
      element("label", { for: id }, control.label), value, control.low ? back : element("span"), rail,
      words ? element("span", { id: `${id}-words`, class: "unseen" }, words) : null);
  }

  shown(control, value) {
    return `${figure(value * control.scale)} ${control.unit}`.trim();
  }

  placeSliders() {
    for (const [name, { control, input, value, back }] of this.inputs) {
      if (name === "cores") {
        const counts = this.frame.counts, cores = this.at.cores;
        // A count between those of the slider, set from Python, shows at the nearest one.
        const nearest = counts.reduce((best, n, index) => (Math.abs(n - cores) < Math.abs(counts[best] - cores) ? index : best), 0);
        input.value = nearest;
        this.label(input, value, `${cores}`, this.frame.senders);
        continue;
      }
      const held = this.at.settings[name];
      const shown = held ?? control.median;
      input.value = Math.round(STEPS * place(Math.min(Math.max(shown, control.low), control.high), control.low, control.high));
      this.label(input, value, this.shown(control, shown));
      this.mark(input, back, held !== undefined);
    }
  }

  mark(input, back, moved) {
    input.closest(".slider").classList.toggle("moved", moved);
    back.disabled = !moved;
  }

  label(input, value, text, unit = "") {
    value.textContent = text;
    input.setAttribute("aria-valuetext", `${text} ${unit}`.trim());
  }

  slid(control, input) {
    const { value, back } = this.inputs.get(control.name);
    if (control.name === "cores") {
      this.at.cores = this.frame.counts[Number(input.value)];
      this.label(input, value, `${this.at.cores}`, this.frame.senders);
    } else {
      const held = Number(valueAt(Number(input.value), control).toPrecision(6));
      this.at.settings[control.name] = held;
      this.label(input, value, this.shown(control, held));
      this.mark(input, back, true);
    }
    this.ask();
  }

  ask() {
    this.asker.position(structuredClone(this.at));
  }

  choose(name, value) {
    this.at[name] = value;
    this.ask();
  }

  back(name) {
    delete this.at.settings[name];
    this.inputs.get(name).input.focus();
    this.ask();
  }

  reset() {
    this.at.settings = {};
    this.inputs.get("cores").input.focus();
    this.ask();
  }

  // The chart: lines are the model, the band is its 90 % interval, points are measured, dashes lie beyond them.

  chart() {
    const width = Math.round(this.plot.clientWidth);
    if (!width || !this.answer) return;
    const { answer, frame } = this;
    const height = Math.round(Math.min(380, Math.max(230, 0.56 * width)));
    const box = { left: 52, right: width - 12, top: 26, bottom: height - 40 };
    const [low, high] = this.range();
    const first = frame.counts[0], last = frame.counts.at(-1);
    const x = (n) => box.left + (box.right - box.left) * (last > first ? place(n, first, last) : 0.5);
    const y = (rate) => box.bottom - (box.bottom - box.top) * place(Math.min(Math.max(rate, low), high), low, high);
    const parts = [];
    const put = (...one) => parts.push(drawn(...one));
    for (const tick of ticks(low, high, height < 280 ? 5 : 7)) {
      put("line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) });
      put("text", { class: "tick", x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en-US"));
    }
    put("text", { class: "unit", x: 4, y: 14 }, frame.unit);
    let free = -Infinity;
    for (const n of this.coreTicks()) {
      put("line", { class: "notch", x1: x(n), x2: x(n), y1: box.bottom, y2: box.bottom + 4 });
      const room = 4.5 * `${n}`.length + 4;
      if (x(n) - room > free) {
        put("text", { class: "tick", x: x(n), y: box.bottom + 17, "text-anchor": "middle" }, n);
        free = x(n) + room;
      }
    }
    put("text", { class: "tick", x: (box.left + box.right) / 2, y: height - 5, "text-anchor": "middle" }, frame.senders);
    put("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom });
    const end = frame.measured[1];
    if (end > first && end < last) {
      put("line", { class: "edge", x1: x(end), x2: x(end), y1: box.top, y2: box.bottom });
      put("text", { class: "tick", x: x(end) - 5, y: box.top - 5, "text-anchor": "end" }, "measured");
    }
    const path = (ns, rates) => ns.map((n, k) => `${k ? "L" : "M"}${x(n).toFixed(1)},${y(rates[k]).toFixed(1)}`).join("");
    const { n, lower, upper, median, reference, extrapolated } = answer;
    put("path", { class: "band", d: `${path(n, upper)}${path([...n].reverse(), [...lower].reverse()).replace("M", "L")}Z` });
    put("path", { class: "reference", d: path(n, reference) });
    for (const [dashed, from, to] of stretches(extrapolated))
      put("path", { class: dashed ? "line beyond" : "line", d: path(n.slice(from, to + 1), median.slice(from, to + 1)) });
    if (this.exactly) put("path", { class: "simulated", d: path(this.exactly.n, this.exactly.median) });
    for (const point of frame.observed) {
      const dot = drawn("circle", { class: "measured", cx: x(point.n), cy: y(point.rate), r: 4.5 });
      dot.append(drawn("title", {}, `${point.n} ${frame.senders}: ${figure(point.rate, 4)} ${frame.unit}, measured (${point.source})`));
      parts.push(dot);
    }
    put("line", { class: "cursor", x1: x(answer.here.n), x2: x(answer.here.n), y1: box.top, y2: box.bottom });
    put("rect", { class: "here", x: x(answer.here.n) - 5, y: y(answer.here.median) - 5, width: 10, height: 10, transform: `rotate(45 ${x(answer.here.n)} ${y(answer.here.median)})` });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("aria-label", `${frame.title}, rate against ${frame.senders}. ${answer.says.all}`);
    this.svg.replaceChildren(...parts);
    this.svg.onpointerdown = this.svg.onpointermove = (event) => {
      if (event.buttons !== 1) return;
      const share = (event.offsetX - box.left) / (box.right - box.left);
      const near = (n) => Math.abs(place(n, first, last) - share);
      const cores = frame.counts.reduce((best, n) => (near(n) < near(best) ? n : best));
      if (cores === this.at.cores) return;
      this.at.cores = cores;
      this.placeSliders();
      this.ask();
    };
    this.keys();
  }

  // The axis keeps its ends while the curve stays inside and fills half of it, so that a move is seen as one.
  range() {
    const { answer, frame } = this;
    const values = [...answer.lower, ...answer.upper, ...answer.reference, ...frame.observed.map((point) => point.rate)].filter((value) => value > 0);
    const least = Math.min(...values), most = Math.max(...values);
    const about = JSON.stringify([frame.choices, frame.unit]);
    const [low, high] = this.domain ?? [0, 0];
    const fits = about === this.domainOf && least >= low && most <= high && Math.log(most / least) > 0.5 * Math.log(high / low);
    if (!fits) {
      const pad = Math.max(1.12, Math.sqrt(2 / (most / least)));
      this.domain = [least / pad, most * pad];
      this.domainOf = about;
    }
    return this.domain;
  }

  coreTicks() {
    const { frame } = this;
    const last = frame.counts.at(-1), seen = [...new Set(frame.observed.map((point) => point.n))].sort((a, b) => a - b);
    const powers = [];
    for (let n = 1; n <= last; n *= 2) if (n >= frame.counts[0]) powers.push(n);
    const chosen = seen.length && seen.length <= 10 ? [...seen, ...powers.filter((n) => n > seen.at(-1))] : powers;
    return [...new Set([...chosen, last])].sort((a, b) => a - b);
  }

  keys() {
    const { answer, frame } = this;
    const beside = answer.position.against === "as fitted" ? "the fit" : `${answer.position.against}, as fitted`;
    const every = [
      ["line", answer.gain.moved ? "where the sliders stand" : "model"], ["band", "90 % interval"],
      frame.observed.length && ["measured", "measured"],
      answer.extrapolated.includes(true) && ["beyond", frame.observed.length ? "beyond the measured counts" : "not measured"],
      answer.gain.moved && ["reference", beside], this.exactly && ["simulated", "simulated here"],
    ].filter(Boolean);
    const about = JSON.stringify(every);
    if (about === this.keysDrawn) return;
    this.keysDrawn = about;
    this.key.replaceChildren(...every.map(([kind, words]) => element("li", { class: kind }, element("i"), words)));
  }

  stop() {
    clearTimeout(this.speaking);
    this.asker.stop();
    this.size.disconnect();
  }
}

// A curve cut where dashes begin: [dashed, from, to], neighbours share their end.
function stretches(extrapolated) {
  const found = [];
  for (let k = 1; k < extrapolated.length; k++) {
    const dashed = extrapolated[k - 1] || extrapolated[k];
    if (found.length && found.at(-1)[0] === dashed) found.at(-1)[2] = k;
    else found.push([dashed, k - 1, k]);
  }
  return found;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.stop();
  },
};
