/* fitChart(spec, width): fits a chart to a column of that many pixels and returns it. It takes the title out, since
   the page says it in HTML, where it can break its lines. In a narrow column words move out of the way of the plot
   instead of shrinking with it: names of rows stand above their bars, names of curves in a legend on top. */
function fitChart(spec, width) {
  var how = (spec.usermeta && spec.usermeta.mpps) || {}, narrow = width < 520;
  var LETTER = 6.9, LINE = 15;

  function views(node, found) {
    var parts = node.layer || node.concat || node.vconcat || node.hconcat;
    if (!parts) found.push(node);
    else parts.forEach(function (part) { views(part, found); });
    return found;
  }

  function rowsOf(view) {
    var data = view.data || {};
    return data.values || (spec.datasets || {})[data.name] || [];
  }

  function legends(node) {
    views(node, []).forEach(function (view) {
      ["color", "shape"].forEach(function (channel) {
        var one = (view.encoding || {})[channel], names = one && one.scale && one.scale.domain;
        if (!one || !one.legend || !names) return;
        var widest = Math.max.apply(null, (one.legend.values || names).map(function (name) { return String(name).length; }));
        var columns = Math.max(1, Math.floor(width / (widest * LETTER + 34)));
        one.legend.columns = Math.min(one.legend.columns || names.length, columns);
      });
    });
  }

  /* Rows with their names above them: each row becomes taller by its name, what it shows moves down by half of that. */
  function namesAbove(panel) {
    var rows = views(panel, []).filter(function (view) {
      var y = (view.encoding || {}).y;
      return y && y.type === "nominal" && y.field;
    });
    var named = rows.filter(function (view) { return Array.isArray(view.encoding.y.sort); });
    if (!named.length) return;
    var names = Array.from(new Set(named[0].encoding.y.sort));
    var flat = names.every(function (name) { return name.replace(/\n/g, " ").length * LETTER < width; });
    var lines = flat ? 1 : Math.max.apply(null, names.map(function (name) { return name.split("\n").length; }));
    var old = panel.height / names.length, more = LINE * lines;
    panel.height += more * names.length;
    rows.forEach(function (view) {
      var y = view.encoding.y;
      view.mark = Object.assign(typeof view.mark === "string" ? { type: view.mark } : view.mark, { yOffset: more / 2 });
      if (view.encoding.y2) view.mark.y2Offset = more / 2;
      if (y.axis) {
        y.axis = Object.assign({}, y.axis, {
          labelAlign: "left", labelPadding: 0, tickSize: 0, labelOffset: -old / 2, labelLimit: width
        });
        if (flat) y.axis.labelExpr = "replace(datum.label, /\\n/g, ' ')";
      }
    });
  }

  /* Names of curves at the end of each, moved into a legend that the plot need not make room for. */
  function namesOnTop(panel) {
    var shown = [], rest = views(panel, []).filter(function (view) {
      var code = view.encoding || {};
      var beside = code.x && code.x.value && code.x.value.expr && (code.shape || (code.text || {}).field === "series");
      if (beside) rowsOf(view).forEach(function (row) { if (shown.indexOf(row.series) < 0) shown.push(row.series); });
      return !beside;
    });
    if (!shown.length || !panel.layer) return;
    panel.layer = rest;
    /* the legend stands above the title of the vertical axis, which may stand above a line of words */
    var above = rest.some(function (view) { return ((view.encoding.y || {}).axis || {}).titleY < -7; }) ? 44 : 26;
    /* a word at the right of a mark needs some room before the edge */
    var words = rest.some(function (view) { return view.mark.type === "text" && view.mark.align === "left" && view.mark.baseline; });
    /* without points or bands a line stands for each name */
    var bare = !rest.some(function (view) {
      return view.encoding.shape || view.mark.type === "area" && (view.encoding.color || {}).field === "series";
    });
    rest.forEach(function (view) {
      var x = view.encoding.x;
      if (x && x.scale && x.scale.range) x.scale = Object.assign({}, x.scale, { range: [0, { expr: words ? "width - 26" : "width" }] });
      ["color", "shape"].forEach(function (channel) {
        var one = view.encoding[channel];
        if (!one || one.field !== "series" || one.legend !== null) return;
        var values = one.scale.domain.filter(function (name) { return shown.indexOf(name) >= 0; });
        view.encoding[channel] = Object.assign({}, one, {
          legend: { values: values, symbolOpacity: 1, symbolSize: 70, symbolStrokeWidth: bare ? 2.5 : 0, offset: above }
        });
      });
    });
  }

  /* Panels in columns keep their width, unless a single one does not fit: then each has the room of its own names. */
  function slimmer(panel, less) {
    var parts = views(panel, []), longest = 0, end = panel.width;
    parts.forEach(function (view) {
      var code = view.encoding || {}, range = ((code.x || {}).scale || {}).range;
      if (range && typeof range[1] === "number") end = Math.min(end, range[1]);
      if (code.text && code.text.field === "series")
        rowsOf(view).forEach(function (row) { longest = Math.max(longest, String(row.series).length); });
    });
    var room = Math.min(panel.width - end, longest ? 26 + LETTER * longest : panel.width - end);
    panel.width -= less;
    var moved = panel.width - room - end;
    parts.forEach(function (view) {
      var x = (view.encoding || {}).x;
      if (!x) return;
      if (typeof x.value === "number" && x.value >= end) x.value += moved;
      if (x.scale && x.scale.range && typeof x.scale.range[1] === "number")
        x.scale = Object.assign({}, x.scale, { range: [0, end + moved] });
    });
  }

  function broken(panel) {
    var title = panel.title, most = Math.floor((width - 20) / 7.6), lines = [""];
    if (!title || typeof title.text !== "string" || title.text.length <= most) return;
    title.text.split(" ").forEach(function (word) {
      var last = lines.length - 1;
      if (lines[last] && (lines[last] + " " + word).length > most) lines.push(word);
      else lines[last] += (lines[last] ? " " : "") + word;
    });
    title.text = lines;
  }

  if (narrow)
    spec = JSON.parse(JSON.stringify(spec).replace(/width \* 0\.5\)/g, "width * 0.42)"));
  var panels = how.resize === "children" ? spec.vconcat : how.resize === "bars" ? [spec] : [];
  if (how.resize === "container") {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
    if (narrow) namesOnTop(spec);
  }
  panels.forEach(function (panel) {
    var room = how.room;
    if (narrow) {
      var before = panel.height;
      namesAbove(panel);
      if (panel.height !== before) room = 0;
      else namesOnTop(panel);
      broken(panel);
    }
    panel.width = Math.max(240, width - Math.min(room, narrow ? 60 : room) - 24);
  });
  if (how.resize === "columns") {
    spec.columns = Math.max(1, Math.min(spec.columns || 1, Math.floor(width / how.room)));
    (spec.concat || []).forEach(function (panel) {
      if (how.room > width) slimmer(panel, how.room - width);
      if (narrow) broken(panel);
    });
  }
  if (narrow) legends(spec);
  delete spec.title;
  return spec;
}
