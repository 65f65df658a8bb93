/* list.js: all cases as a list of which only the rows in sight exist. */
const rowHeight = 30;
let rows = cases.slice(), chosen = -1, order = { by: "i", down: false };

function list() {
    const box = $("list"), space = $("list-space"), live = new Map();
    const columns = [["n", "#", "i"], ["status", "status", "s"], ["id", "case", "id"], ["us", "time", "us"], ["why", "why", "why"]];
    for (const [style, title, by] of columns) {
        $("list-head").append(make("button", { class: style, type: "button", onclick: () => {
            order = { by, down: order.by === by ? !order.down : by === "s" || by === "us" };
            refresh();
        } }, title));
    }
    function row(c, at) {
        const line = make("div", { class: "row" + (at === chosen ? " on" : ""), role: "option", id: "row-" + c.i, "aria-selected": at === chosen },
            make("span", { class: "n" }, String(c.i + 1)), make("span", { class: "status t" + (c.blocked ? 3 : c.s) }, c.blocked ? "! BLOCKED" : glyphs[c.s] + " " + names[c.s]),
            make("span", { class: "id mono", title: c.id }, c.id), make("span", { class: "us" }, duration(c.us)), make("span", { class: "why says" }, c.why || c.says || ""));
        line.style.top = at * rowHeight + "px";
        line.addEventListener("click", () => { chosen = at; paint(true); openCase(c); });
        return line;
    }
    function paint(again) {
        const from = Math.max(0, Math.floor(box.scrollTop / rowHeight) - 6), to = Math.min(rows.length, from + Math.ceil(box.clientHeight / rowHeight) + 14);
        for (const [at, line] of live) if (again || at < from || at >= to) { line.remove(); live.delete(at); }
        for (let at = from; at < to; at++) if (!live.has(at)) { const line = row(rows[at], at); live.set(at, line); space.append(line); }
    }
    function refresh() {
        rows = cases.filter(isShown);
        const by = order.by, sign = order.down ? -1 : 1;
        if (by !== "i" || order.down) rows.sort((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a.i - b.i) * sign);
        chosen = -1;
        space.style.height = rows.length * rowHeight + "px";
        box.style.height = Math.min(640, Math.max(3, rows.length) * rowHeight + 2) + "px";
        $("list-count").textContent = rows.length === cases.length ? number(cases.length) : number(rows.length) + " of " + number(cases.length);
        box.scrollTop = 0;
        paint(true);
    }
    box.addEventListener("scroll", () => requestAnimationFrame(() => paint(false)), { passive: true });
    box.addEventListener("keydown", event => {
        const page = Math.floor(box.clientHeight / rowHeight) - 1;
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length }[event.key];
        if (event.key === "Enter" && rows[chosen]) {
            event.preventDefault(); /* else the key would press what gets the focus */
            openCase(rows[chosen]);
        }
        if (!step || rows.length === 0) return;
        event.preventDefault();
        chosen = Math.max(0, Math.min(rows.length - 1, chosen + step));
        if (chosen * rowHeight < box.scrollTop) box.scrollTop = chosen * rowHeight;
        if ((chosen + 1) * rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = (chosen + 1) * rowHeight - box.clientHeight;
        box.setAttribute("aria-activedescendant", "row-" + rows[chosen].i);
        paint(true);
    });
    watchers.push(refresh);
    new ResizeObserver(() => paint(false)).observe(box);
    refresh();
}
