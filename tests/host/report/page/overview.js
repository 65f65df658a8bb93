/* overview.js: verdict, counts and what was tested; chips and search. */
function overview() {
    const counts = names.map((_, s) => cases.filter(c => c.s === s).length), blocked = cases.filter(c => c.blocked).length;
    const worst = Math.max(0, names.indexOf(data.verdict));
    const box = $("overview");

    $("verdict").textContent = data.verdict;
    $("verdict").classList.add("d" + worst);
    $("title").textContent = data.device || "no device was found";
    const numbers = make("div", { class: "numbers" });
    counts.forEach((count, s) => {
        const shown = s === 1 ? count - blocked : count;
        if (shown || s === 0) numbers.append(make("div", { class: "number" }, make("b", { class: "t" + s }, number(shown)), make("span", {}, words[s])));
        if (s === 1 && blocked) numbers.append(make("div", { class: "number", title: "not run, because a prerequisite is broken" }, make("b", { class: "t3" }, number(blocked)), make("span", {}, "blocked")));
    });
    if (data.notRun) numbers.append(make("div", { class: "number" }, make("b", {}, number(data.notRun)), make("span", {}, "not run")));
    if (data.wall >= 0 && data.wall !== null) numbers.append(make("div", { class: "number" }, make("b", {}, seconds(data.wall)), make("span", {}, "in all")));
    const bar = make("div", { class: "bar", role: "img", "aria-label": counts.map((n, s) => n + " " + words[s]).join(", ") });
    const part = (count, s) => {
        if (!count) return;
        const piece = make("i", { class: "d" + s });
        piece.style.flex = count + " 0 0";
        bar.append(piece);
    };
    counts.forEach((count, s) => { part(s === 1 ? count - blocked : count, s); if (s === 1) part(blocked, 3); });
    if (data.notRun) bar.append(make("i", { class: "s1" }));
    box.append(numbers, bar);
    const told = data.problems.map(text => make("div", { class: "problem" }, text));
    if (told.length <= 4) box.append(...told);
    else box.append(...told.filter((_, i) => !data.problems[i].startsWith("warning: ")).slice(0, 4),
        make("details", {}, make("summary", {}, "all " + told.length + " messages of the run"), ...data.problems.map(text => make("div", { class: "problem" }, text))));
    const facts = make("dl", { class: "facts" });
    const fact = (name, value, means) => { if (value) facts.append(make("div", { title: means }, make("dt", {}, name), make("dd", {}, value))); };
    for (const d of data.devices) fact(d[0], d[2] + "  " + (d[1] || ""));
    fact("expectations", data.judged && (data.judged === "model" ? "the model" : "any device") + (data.abi ? ", abi " + data.abi : "") + (data.require ? ", require " + data.require : "") + (data.expect ? ", expect " + data.expect : ""),
        "the rules for this profile decided what passes");
    fact("started", data.started ? moment(data.started) : null);
    fact("build", data.build);
    for (const [name, value] of data.environment) if (name === "fault" || name === "filter") fact(name, value);
    fact("start to entry", seconds(data.bootToEntry), "from the start of the machine to the first line of the image: the firmware's time");
    fact("entry to record", seconds(data.entryToRecord), "from the first line of the image to its first record: network and device are up");
    for (const r of data.restarts) fact("restart " + r[0], r[1] + " after " + r[3] + ": " + r[2]);
    box.append(facts);
    if (data.before) box.append(compared());
    names.forEach((name, s) => {
        if (!counts[s]) return;
        const chip = make("button", { class: "chip", type: "button", "aria-pressed": "true", "data-s": s },
            make("span", { class: "dot d" + s }), name + " " + number(counts[s]));
        chip.addEventListener("click", () => {
            const only = shown.size === names.length;
            if (only) shown.clear();
            if (!only && shown.has(s)) shown.delete(s); else shown.add(s);
            if (shown.size === 0 || names.every((_, k) => !counts[k] || shown.has(k))) names.forEach((_, k) => shown.add(k));
            for (const other of $("chips").children) other.setAttribute("aria-pressed", shown.has(+other.dataset.s));
            changed();
        });
        $("chips").append(chip);
    });
    let waiting = 0;
    $("search").addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => { wanted = $("search").value.trim().toLowerCase(); changed(); }, 60);
    });
}

/* What is otherwise than in the earlier run. */
function compared() {
    const before = new Map(data.before.cases);
    const list = (text, some, most) => some.length ? make("div", {}, make("b", {}, some.length + " " + text + (most < some.length ? "" : ": ")), make("span", { class: "links" },
        ...some.slice(0, most < some.length ? 0 : most).map(c => make("button", { class: "link mono", type: "button", onclick: () => openCase(c) }, c.id)))) : null;
    const was = c => before.get(c.id);
    const broke = cases.filter(c => c.s > 1 && was(c) !== undefined && was(c) <= 1);
    const mended = cases.filter(c => c.s <= 1 && was(c) > 1);
    const fresh = cases.filter(c => was(c) === undefined);
    return make("div", { id: "compared" }, make("h3", {}, "Since the run " + data.before.name.replace(/.*\//, "")),
        list("newly fail", broke, 200), list("work again", mended, 60), list("were not in it", fresh, 12),
        broke.length + mended.length + fresh.length ? null : make("span", { class: "nothing" }, "each case as before"));
}
