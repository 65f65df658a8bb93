/* lanes.js: the submissions of a case on one timeline: above as the guest saw them, below as the device did. */
let showLanes = () => {};

function laneOf(c) {
    return data.lanes ? data.lanes.cases.find(row => row[0] === c.id || c.id.endsWith("/" + row[0])) : undefined;
}

function span(ns) {
    const far = Math.abs(ns);
    return far < 10000 ? ns + " ns" : far < 1e7 ? (ns / 1000).toFixed(1) + " \u00b5s" : (ns / 1e6).toFixed(1) + " ms";
}

/* What a person reads of one submission. */
function laneWords(lane, at) {
    const [fence, slot, bytes, posted, seen, taken, done] = lane[3][at];
    const said = ["submission " + (at + 1) + " of " + lane[3].length + ", fence " + fence + ", slot " + slot + ", " + number(bytes) + " bytes",
        "the guest posts it at " + span(posted)];
    if (taken !== null) said.push("the device takes it +" + span(taken - posted));
    if (taken !== null) said.push(done !== null ? "is done +" + span(done - posted) : "never completes it");
    if (data.lanes.device && taken === null) said.push("the device's view has no such submission");
    said.push(seen !== null ? "the guest sees its completion +" + span(seen - posted) : "the guest never sees its completion");
    return said.join(" \u00b7 ");
}

function lanes() {
    if (!data.lanes || !data.lanes.cases.length) return;
    const canvas = $("lanes"), pick = $("lanes-case"), rows = 5, bar = 7, top = 16, gap = 22;
    let lane, at, from, to, end, row;
    for (const [i, one] of data.lanes.cases.entries()) pick.append(make("option", { value: i }, one[0] + " (" + (one[3].length + one[2]) + ")"));
    $("submissions").hidden = false;

    const place = (ns, w) => (ns - from) / (to - from) * w;
    function draw() {
        const scale = devicePixelRatio || 1, w = canvas.clientWidth, h = 132, g = canvas.getContext("2d");
        const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name);
        const below = top + rows * bar + gap;
        canvas.width = w * scale; canvas.height = h * scale;
        g.scale(scale, scale);
        g.font = "11px system-ui,sans-serif";
        g.fillStyle = colour("--soft");
        g.fillText("guest: posted to seen", 0, 11);
        g.fillText(data.lanes.device ? "device: taken to done" : "no view of the device: agpu run --capture --device-capture FILE", 0, below - 6);
        g.fillText(span(Math.round(from)), 0, h - 3);
        const last = span(Math.round(to));
        g.fillText(last, w - g.measureText(last).width, h - 3);
        lane[3].forEach((entry, i) => {
            const [, , , posted, seen, taken, done] = entry, on = i === at, y = row[i] * bar;
            const box = (begin, stop, up, name) => {
                const x = place(begin, w), wide = Math.max((stop === null ? w : place(stop, w)) - x, 2);
                g.globalAlpha = stop === null ? .35 : 1;
                g.fillStyle = colour(on ? "--fail" : name);
                g.fillRect(x, up + y, wide, bar - 2);
                g.globalAlpha = 1;
            };
            box(posted, seen, top, "--accent");
            if (taken === null) return;
            box(taken, done, below, "--pass");
            g.strokeStyle = colour(on ? "--fail" : "--line");
            for (const [a, b] of [[posted, taken], [seen, done]]) {
                if (a === null || b === null) continue;
                g.beginPath();
                g.moveTo(place(a, w), top + y + bar - 2);
                g.lineTo(place(b, w), below + y);
                g.stroke();
            }
        });
    }
    function choose(next) {
        const entry = lane[3][at = Math.max(0, Math.min(lane[3].length - 1, next))], wide = to - from;
        /* What is looked at is in view. */
        if (entry[3] < from || entry[3] > to) { from = Math.max(0, entry[3] - wide / 4); to = from + wide; }
        $("lanes-one").textContent = laneWords(lane, at);
        for (const [key, value] of [["now", at + 1], ["min", 1], ["max", lane[3].length], ["text", laneWords(lane, at)]]) canvas.setAttribute("aria-value" + key, value);
        canvas.dataset.at = at;
        draw();
    }
    function zoom(by) {
        const middle = lane[3][at][3], wide = Math.min(end, Math.max(100, (to - from) * by));
        from = Math.max(0, Math.min(end - wide, middle - wide / 2));
        to = from + wide;
        canvas.dataset.wide = Math.round(wide);
        draw();
    }
    showLanes = (next, focus) => {
        lane = next;
        pick.value = data.lanes.cases.indexOf(lane);
        end = 1;
        for (const entry of lane[3]) for (const time of entry.slice(3)) end = Math.max(end, time || 0);
        end *= 1.02;
        from = 0;
        to = end;
        /* Those under way together lie below one another. */
        const free = new Array(rows).fill(-Infinity);
        row = lane[3].map(entry => {
            let y = free.findIndex(time => time <= entry[3]);
            if (y < 0) y = free.indexOf(Math.min(...free));
            free[y] = Math.max(...entry.slice(3).map(time => time === null ? entry[3] : time));
            return y;
        });
        const both = lane[3].some(entry => entry[5] !== null);
        $("lanes-text").textContent = (data.lanes.device ? "guest and device" : "as the guest saw them") + (lane[2] ? ", the first " + lane[3].length + " of " + (lane[3].length + lane[2]) : "") +
            (both ? lane[1] >= 0 ? ", the two clocks laid over each other to \u00b1" + span(lane[1]) : ", whose times contradict each other by up to " + span(-2 * lane[1]) : "") +
            (data.lanes.leftOut ? "; " + data.lanes.leftOut + " cases are not shown: no room" : "");
        canvas.dataset.wide = Math.round(end);
        choose(0);
        if (focus) { canvas.focus({ preventScroll: true }); $("submissions").scrollIntoView({ block: "center" }); }
    };
    pick.addEventListener("change", () => showLanes(data.lanes.cases[+pick.value]));
    canvas.addEventListener("keydown", event => {
        const which = data.lanes.cases.indexOf(lane), step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: lane[3].length - 1 }[event.key];
        const by = { "+": .5, "=": .5, "-": 2, "0": Infinity }[event.key];
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (to !== undefined) choose(to);
        else if (by) zoom(by);
        else if (step) showLanes(data.lanes.cases[Math.max(0, Math.min(data.lanes.cases.length - 1, which + step))]);
        else if (event.key === "Enter") { const c = cases.find(one => laneOf(one) === lane); if (c) openCase(c); }
        else return;
        event.preventDefault();
    });
    canvas.addEventListener("click", event => {
        const box = canvas.getBoundingClientRect(), ns = from + (event.clientX - box.left) / box.width * (to - from);
        const far = entry => { const last = Math.max(...entry.slice(3).map(time => time || 0)); return ns < entry[3] ? entry[3] - ns : ns > last ? ns - last : 0; };
        choose(lane[3].reduce((best, entry, i) => far(entry) < far(lane[3][best]) ? i : best, 0));
    });
    showLanes((failed.map(laneOf).find(one => one)) || data.lanes.cases[0]);
    new ResizeObserver(draw).observe(canvas);
    themed.push(draw);
}
