/* map.js: the map of the cases, and the run as a strip in time. */
const cells = [];

function width(us) {
    return us < 1000 ? "" : us < 10000 ? " w1" : us < 50000 ? " w2" : us < 200000 ? " w3" : us < 1000000 ? " w4" : " w5";
}

function map() {
    const groups = new Map(), legend = make("p", { class: "legend" });
    const sample = (style, text) => legend.append(make("span", {}, make("i", { class: "key " + style }), text));
    names.forEach((name, s) => { if (cases.some(c => c.s === s)) sample("s" + s, words[s]); });
    if (cases.some(c => c.blocked)) sample("s1 blocked", "blocked");
    ["below 1 ms", "10 ms", "50 ms", "200 ms", "1 s", "longer"].forEach((text, w) => sample("s0" + (w ? " w" + w : ""), text));
    $("groups").before(legend);
    for (const c of cases) {
        const name = c.id.includes("/") ? c.id.slice(0, c.id.indexOf("/") + 1) + c.subject : c.subject;
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push(c);
    }
    for (const [name, list] of groups) {
        const wrong = list.filter(c => c.s > 1).length;
        const box = make("div", { class: "cells", tabindex: "0", role: "group", "aria-label": name + ": " + list.length + " cases, " + wrong + " failed" });
        for (const c of list) {
            const cell = document.createElement("i");
            cell.className = "cell s" + c.s + (c.blocked ? " blocked" : "") + width(c.us);
            cell.dataset.i = c.i;
            cells[c.i] = cell;
            box.append(cell);
        }
        $("groups").append(make("div", { class: "group" }, make("h3", {}, name, make("span", {}, String(list.length)), wrong ? make("em", {}, wrong + " failed") : null), box));
    }
    const at = event => event.target.dataset && event.target.dataset.i !== undefined ? cases[event.target.dataset.i] : null;
    $("groups").addEventListener("click", event => { const c = at(event); if (c) openCase(c); });
    $("groups").addEventListener("mousemove", event => { const c = at(event); tip(c ? caseTip(c) : null, event.clientX, event.clientY); });
    $("groups").addEventListener("mouseleave", () => tip(null));
    $("groups").addEventListener("keydown", event => {
        const box = event.target.closest(".cells");
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!box || (!step && event.key !== "Enter")) return;
        event.preventDefault();
        const all = [...box.children], on = box.querySelector(".on");
        if (!step) { if (on) openCase(cases[on.dataset.i]); return; }
        const next = all[Math.max(0, Math.min(all.length - 1, on ? all.indexOf(on) + step : 0))];
        if (on) on.classList.remove("on");
        next.classList.add("on");
        const place = next.getBoundingClientRect();
        tip(caseTip(cases[next.dataset.i]), place.left, place.top);
    });
    watchers.push(() => { for (const c of cases) cells[c.i].classList.toggle("dim", !isShown(c)); });
}

function strip() {
    const known = cases.filter(c => c.start !== null);
    const canvas = $("strip");
    if (known.length < 2) { $("timeline").hidden = true; return; }
    const first = Math.min(...[known[0].start]), last = known.reduce((m, c) => Math.max(m, c.start + c.us), first + 1);
    $("timeline-text").textContent = duration(last - first) + " from the first case to the last";
    canvas.setAttribute("aria-label", known.length + " cases in " + duration(last - first));
    const place = c => [(c.start - first) / (last - first), Math.max(c.us / (last - first), 0)];
    function draw() {
        const scale = devicePixelRatio || 1, w = canvas.clientWidth, h = 56, g = canvas.getContext("2d");
        const style = getComputedStyle(document.documentElement);
        const colours = ["--cell-pass", "--cell-skip", "--interrupted", "--error", "--fail", "--timeout", "--crash"].map(name => style.getPropertyValue(name));
        canvas.width = w * scale; canvas.height = h * scale;
        g.scale(scale, scale);
        for (const bad of [false, true]) {
            for (const c of known) {
                if ((c.s > 1) !== bad) continue;
                const [x, span] = place(c);
                g.globalAlpha = isShown(c) ? 1 : .15;
                g.fillStyle = colours[c.s];
                g.fillRect(x * w, bad ? 4 : 18, Math.max(span * w - .5, bad ? 2 : .75), bad ? 48 : 30);
            }
        }
    }
    function at(event) {
        const box = canvas.getBoundingClientRect(), x = (event.clientX - box.left) / box.width;
        let best = null, near = 1;
        for (const c of known) {
            const [from, span] = place(c), far = x < from ? from - x : x > from + span ? x - from - span : 0;
            if (far < near || (far === near && best && c.s > best.s)) { near = far; best = c; }
        }
        return near < .01 ? best : null;
    }
    canvas.addEventListener("mousemove", event => { const c = at(event); tip(c ? caseTip(c) : null, event.clientX, event.clientY); });
    canvas.addEventListener("mouseleave", () => tip(null));
    canvas.addEventListener("click", event => { const c = at(event); if (c) openCase(c); });
    new ResizeObserver(draw).observe(canvas);
    watchers.push(draw);
    themed.push(draw);
}
