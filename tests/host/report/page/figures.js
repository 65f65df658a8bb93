/* figures.js: what was measured, what the device chose, what was not tried, and where the run took place. */
function panel(title, note, ...children) {
    return make("section", { class: "card" }, make("h2", {}, title, note ? make("small", {}, note) : null), ...children);
}

function table(heads, lines) {
    const body = make("tbody", {});
    for (const line of lines) body.append(make("tr", {}, ...line.map(cell => cell instanceof Node && cell.tagName === "TD" ? cell : make("td", {}, cell === null ? "" : cell))));
    return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads.map(head => make("th", {}, head)))), body));
}

/* Columns: how many of the samples lie where. */
function histogram(samples, wide) {
    const bins = Math.min(48, Math.max(8, Math.ceil(Math.sqrt(samples.length)))), low = samples[0], high = samples[samples.length - 1];
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), counts = new Array(bins).fill(0);
    for (const value of samples) counts[high > low ? Math.min(bins - 1, Math.floor((value - low) / (high - low) * bins)) : 0]++;
    const most = Math.max(...counts);
    svg.setAttribute("viewBox", "0 0 " + bins * 4 + " 24");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "spark");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", wide);
    counts.forEach((count, i) => {
        const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), h = count ? Math.max(1, count / most * 24) : 0;
        for (const [key, value] of Object.entries({ x: i * 4, y: 24 - h, width: 3, height: h, fill: "var(--accent)" })) bar.setAttribute(key, value);
        svg.append(bar);
    });
    return svg;
}

function metricTable(list) {
    const value = text => make("td", { class: "v" }, text);
    return table(["name", "value", "", "case"], list.map(m => {
        const many = m[3].length > 1, at = share => m[3][Math.min(m[3].length - 1, Math.floor(share * m[3].length))];
        const text = many ? "p50 " + figure(at(.5), m[2]) + ", p99 " + figure(at(.99), m[2]) : figure(m[3][0], m[2]);
        return [make("span", { class: "mono" }, m[1]), value(text), many ? histogram(m[3], m[4] + " samples") : null, m[0] === "-" ? null : make("span", { class: "mono" }, m[0])];
    }));
}

function figures() {
    const box = $("figures");
    const times = cases.map(c => c.us).sort((a, b) => a - b);
    if (cases.length > 1) {
        const logs = times.map(us => Math.log10(us + 1)), slow = cases.slice().sort((a, b) => b.us - a.us).slice(0, 12);
        const shape = histogram(logs, "times of the cases");
        shape.style.width = "100%";
        shape.style.height = "64px";
        box.append(panel("Time", "of each case, " + duration(times[0]) + " to " + duration(times[times.length - 1]) + ", logarithmic", shape,
            table(["slowest", ""], slow.map(c => [make("button", { class: "link mono", type: "button", onclick: () => openCase(c) }, c.id), make("td", { class: "v" }, duration(c.us))]))));
    }
    if (data.metrics.length) box.append(panel("Measured", data.metrics.length + " figures", make("details", { open: "" }, make("summary", {}, "all figures"), metricTable(data.metrics))));
    if (data.meetings.length) {
        const met = data.meetings.filter(m => m[2] > 0).length, fewest = data.meetings.slice().sort((a, b) => a[2] - b[2]);
        box.append(panel("Meetings", met + " of " + data.meetings.length + " exercised by explore.*", make("details", {}, make("summary", {}, "times of each"),
            table(["state x event", "rule", "times"], fewest.map(m => [make("span", { class: "mono" }, m[0]), m[1], make("td", { class: "v" }, m[2])])))));
    }
    const seen = new Map();
    for (const [name, value, id] of data.choices) {
        const key = JSON.stringify([name, value]);
        if (!seen.has(key)) seen.set(key, [name, value, id, 0]);
        seen.get(key)[3]++;
    }
    if (seen.size) box.append(panel("The device's choices", "where the specification lists alternatives", table(["what", "choice", "found out by"],
        [...seen.values()].map(c => [c[0], c[1], make("span", { class: "mono" }, c[2] + (c[3] > 1 ? " and " + (c[3] - 1) + " more" : ""))]))));
    const skips = new Map();
    for (const c of cases) if (c.s === 1) {
        const key = c.reason || "no reason";
        if (!skips.has(key)) skips.set(key, []);
        skips.get(key).push(c);
    }
    if (skips.size) box.append(panel("Skipped", "", table(["why", "", "first"], [...skips].map(([why, list]) =>
        [why, make("td", { class: "v" }, list.length + (list[0].blocked ? ", BLOCKED" : list[0].allowed ? ", not applicable" : ", UNTESTED")), make("span", { class: "mono" }, list[0].id)]))));
    if (data.notRunCases.length) box.append(panel("Never started", data.notRunCases.length + " planned cases", table(["case"], data.notRunCases.map(id => [make("span", { class: "mono" }, id)]))));
    box.append(panel("Where", "", table(["", ""], data.environment), ...(data.qemu ? [make("h3", { class: "apart" }, "QEMU"), make("pre", {}, data.qemu)] : [])));
    if (data.runFiles.length) {
        const files = make("div", {});
        for (const name of data.runFiles) {
            const file = data.files[name];
            if (file[0] === "png" && file[1]) files.append(pictures([[name, name]]));
            else if (file[1]) files.append(make("details", {}, make("summary", { class: "mono" }, name), make("pre", {}, file[1])));
            else files.append(make("div", { class: "mono" }, "artifacts/" + name));
        }
        box.append(panel("The device's own state", "when the first case failed", files));
    }
}
