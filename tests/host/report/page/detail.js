/* detail.js: one case with its evidence; the failures by cause. */
let openNow = null, cameFrom = null;

function copyable(text) {
    const button = make("button", { type: "button" }, "copy");
    button.addEventListener("click", () => {
        const done = () => { button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1500); };
        if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {}); else {
            getSelection().selectAllChildren(button.previousSibling);
            if (document.execCommand("copy")) done();
        }
    });
    return make("div", { class: "copy" }, make("pre", {}, text), button);
}

function pictureParts(c) {
    const rank = { "expected.png": 0, "actual.png": 1, "difference.png": 2 };
    return (c.files || []).map(name => [fileKind(name, c.id), name]).filter(([, name]) => data.files[name] && data.files[name][0] === "png" && data.files[name][1])
        .sort((a, b) => (rank[a[0]] ?? 9) - (rank[b[0]] ?? 9)).map(([kind, name]) => [kind.replace(/\.png$/, ""), name]);
}

/* Only a page that is a file itself may lead to files: the documents of the machine that wrote it. */
const documents = data.documents && location.protocol === "file:" ? "file://" + data.documents.split("/").map(encodeURIComponent).join("/") + "/" : null;
function fileLink(text, place) {
    return documents && /^[a-z-]+(\/[\w-]+)+\.(md|[ch])(#[\w-]*)?$/.test(place) ? make("a", { href: documents + place, target: "_blank", rel: "noopener" }, text) : text;
}

function sourceLink(file, line) { return fileLink(file + ":" + line, file); }

function ruleLink(c) {
    const rule = data.rules[c.spec];
    return rule ? fileLink(c.spec.replace(/ .*/, " ") + rule[0], rule[1]) : c.spec;
}

/* The text of the section that the case cites, to be unfolded: of Markdown the paragraphs, items, tables and fences. */
function ruleText(c) {
    const rule = data.rules[c.spec], box = make("div", { class: "rule" });
    let open = null;
    const begin = tag => box.append(open = make(tag));
    if (!rule || !rule[2]) return null;
    for (const line of rule[2]) {
        const inside = open ? open.tagName : "";
        if (line === "```") inside === "PRE" ? open = null : begin("pre");
        else if (inside === "PRE") open.append(line + "\n");
        else if (line.startsWith("|")) {
            if (inside !== "TABLE") begin("table");
            if (!/^\|[-|]+$/.test(line)) open.append(make("tr", {}, ...line.slice(1, -1).split(/(?<!\\)\|/).map(cell => make("td", {}, cell.replaceAll("\\|", "|").trim()))));
        } else if (line === "") open = null;
        else {
            if (inside !== "P" || /^(#| *([-*]|\d+\.) )/.test(line)) begin("p");
            open.append(line.trim() + " ");
        }
    }
    return make("details", {}, make("summary", {}, "The rule: " + c.spec.replace(/ .*/, " ") + rule[0]), box);
}

function checkBox(check) {
    const facts = make("dl", {});
    const fact = (name, value) => { if (value !== null && value !== undefined) facts.append(make("dt", {}, name), make("dd", { class: "mono" }, value)); };
    fact("expected", check[1]);
    fact("actual", check[2]);
    fact("note", check[3]);
    return make("div", { class: "check" }, make("code", {}, check[0]), facts, make("span", { class: "says mono" }, sourceLink((check[4] || "?").replace(/^(\.\.\/)+/, ""), check[5])));
}

/* The registers of an evidence file that do not have their value after reset, with the names of their bits. */
function evidence(text) {
    const lines = text.split("\n"), from = lines.indexOf("registers"), rest = [];
    let left = 0, to = from + 1;
    if (from < 0) return [make("pre", {}, text)];
    for (; /^  [A-Z0-9_]+ 0x[0-9a-f]+$/.test(lines[to] || ""); to++) {
        const [name, value] = lines[to].trim().split(" "), bits = data.registers[name] || [0];
        const known = bits.slice(1).filter(bit => (value & bit[0]) !== 0).map(bit => bit[1]);
        if (+value === bits[0]) left++;
        else rest.push(lines[to] + (known.length ? " " + known.join(" ") : ""));
    }
    return [make("pre", {}, [...lines.slice(0, from), "registers" + (left ? " (" + left + " others as after reset)" : ""), ...rest, ...lines.slice(to)].join("\n")),
        left ? make("details", {}, make("summary", {}, "all registers"), make("pre", {}, lines.slice(from, to).join("\n"))) : null];
}

function section(title, ...children) { return make("section", {}, make("h3", {}, title), ...children); }

function openCase(c) {
    const box = $("detail");
    if (box.hidden) cameFrom = document.activeElement;
    openNow = c;
    const at = failed.indexOf(c);
    const go = by => make("button", { type: "button", title: by > 0 ? "next failure" : "previous failure", onclick: () => step(by) }, by > 0 ? "\u2193" : "\u2191");
    box.replaceChildren(make("div", { class: "bartop" }, make("span", { class: "pill d" + c.s }, names[c.s]), make("h2", { class: "mono" }, c.id),
        failed.length > 1 ? go(-1) : null, failed.length > 1 ? go(1) : null,
        make("button", { type: "button", id: "close", title: "close (Esc)", "aria-label": "close", onclick: closeCase }, "\u2715")));
    const facts = make("dl", { class: "facts" });
    const fact = (name, value) => { if (value) facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value))); };
    if (c.says) box.append(make("p", {}, c.says));
    fact("time", duration(c.us));
    fact("number", c.i + 1 + " of " + number(data.planned || cases.length));
    fact("about", c.spec ? ruleLink(c) : null);
    fact("source", c.file ? sourceLink(c.file, c.line) : null);
    fact("blocked by", c.blocked);
    fact("found broken", c.cause);
    if (at >= 0) fact("failure", at + 1 + " of " + failed.length);
    box.append(section("", facts));
    if (c.reason) box.append(section("Reason", make("div", { class: "says" }, c.reason)));
    if (c.checks) box.append(section("Failed checks", ...c.checks.map(checkBox), c.more ? make("span", { class: "says" }, "and " + c.more + " more") : null));
    const rule = ruleText(c);
    if (rule) box.append(make("section", {}, rule));
    const parts = pictureParts(c);
    if (parts.length) box.append(pictures(parts));
    if (c.s > 1 && data.again && /^[A-Za-z0-9_.-]+$/.test(c.id.slice(c.id.indexOf("/") + 1))) {
        box.append(section("Again, with the driver's trace", copyable(data.again.replace("{case}", "--filter " + c.id.slice(c.id.indexOf("/") + 1) + " --trace calls,state,resources"))));
    }
    /* The decoded stream first, then what else is text, then what only other programs read. */
    const rank = name => name.endsWith("stream.txt") ? 0 : name.endsWith("evidence.txt") ? 2 : name.endsWith(".txt") ? 1 : 3;
    for (const name of (c.files || []).slice().sort((a, b) => rank(a) - rank(b))) {
        const file = data.files[name], size = file && "artifacts/" + name + ": " + figure(file[2], "bytes");
        if (file && file[0] === "text" && file[1]) box.append(section(fileKind(name, c.id), ...(rank(name) === 2 ? evidence(file[1]) : [make("pre", {}, file[1])])));
        else if (file && file[0] === "binary") box.append(section(fileKind(name, c.id), make("details", {}, make("summary", {}, size + ", in hexadecimal"), make("pre", {}, hexDump(bytesOf(file[1]))))));
        else if (file && !file[1] && !name.endsWith("-side-by-side.png")) box.append(section(fileKind(name, c.id), make("span", { class: "says" }, size + (file[2] > 0 ? ", too large for this page" : ""))));
    }
    const posted = laneOf(c);
    if (posted) box.append(section("Submissions", make("button", { type: "button", id: "to-lanes", onclick: () => { closeCase(); showLanes(posted, true); } },
        posted[3].length + posted[2] + " on one timeline")));
    if (c.log) box.append(section("Log and driver's trace", make("pre", {}, c.log), c.logMore ? make("span", { class: "says" }, "and " + c.logMore + " more records, in results.jsonl") : null));
    const measured = data.metrics.filter(m => m[0] === c.id);
    if (measured.length) box.append(section("Measured", metricTable(measured)));
    if (c.s > 1) for (const name of data.runFiles) {
        const file = data.files[name];
        if (file[0] === "text" && file[1]) box.append(section(name, make("pre", {}, file[1])));
        else if (file[0] === "png" && file[1]) box.append(section(name, make("img", { class: "screen", src: "data:image/png;base64," + file[1], alt: name })));
    }
    box.hidden = false;
    box.scrollTop = 0;
    $("close").focus({ preventScroll: true });
    try { history.replaceState(null, "", "#" + encodeURIComponent(c.id)); } catch (error) { /* a page inside a mail has no address */ }
}

function closeCase() {
    $("detail").hidden = true;
    $("detail").replaceChildren();
    openNow = null;
    try { history.replaceState(null, "", "#"); } catch (error) { /* as above */ }
    if (cameFrom && cameFrom.isConnected) cameFrom.focus({ preventScroll: true });
}

function step(by) {
    if (!failed.length) return;
    const at = openNow ? failed.indexOf(openNow) : -1;
    openCase(failed[(at < 0 ? (by > 0 ? 0 : failed.length - 1) : at + by + failed.length) % failed.length]);
}

function causes() {
    const groups = new Map();
    for (const c of failed) {
        if (!groups.has(c.group)) groups.set(c.group, []);
        groups.get(c.group).push(c);
    }
    const of = list => data.groups[list[0].group] || [null, 0, list[0].why];
    const sorted = [...groups.values()].sort((a, b) => (of(b)[0] !== null) - (of(a)[0] !== null) || b.length - a.length || a[0].i - b[0].i);
    function fill(thumbs) {
        for (const [title, name] of thumbs.parts) thumbs.append(make("figure", {}, make("img", { src: "data:image/png;base64," + data.files[name][1], alt: title }), make("figcaption", {}, title)));
        thumbs.parts = null;
    }
    const lazy = new IntersectionObserver(entries => {
        for (const entry of entries) if (entry.isIntersecting) {
            lazy.unobserve(entry.target);
            fill(entry.target);
        }
    }, { rootMargin: "600px" });
    $("failures-count").textContent = failed.length + (failed.length === 1 ? " case" : " cases") + " in " + sorted.length + (sorted.length === 1 ? " group" : " groups");
    $("failures").hidden = failed.length === 0;
    /* A comparison of bytes has a picture of the whole range; the first bytes are with the case. */
    function summary(check) {
        const parts = /^(.*?);? ?(\[[^\]]{16,}\].*)$/s.exec(check[3] || "");
        if (parts) return [make("div", {}, parts[1]), make("div", { class: "bytes mono" }, parts[2])];
        return [make("div", { class: "says mono" }, (check[1] !== null ? "expected " + check[1] + ", actual " + check[2] : "") + (check[3] ? "; " + check[3] : ""))];
    }
    function card(list) {
        const [cause, blocks, reason] = of(list), sentence = reason.replace(/; .*/s, "");
        const first = list[0], check = first.checks && first.checks[0], thumbs = make("div", { class: "thumbs" });
        const withPictures = list.find(c => pictureParts(c).length);
        const box = make("article", { class: "card cause" }, make("h3", {}, make("span", {}, cause !== null ? cause + ": " + sentence : sentence), make("b", {}, "\u00d7" + list.length)));
        box.style.borderTopColor = "var(--" + ["pass", "skip", "interrupted", "error", "fail", "timeout", "crash"][Math.max(...list.map(c => c.s))] + ")";
        if (blocks) box.append(make("div", { class: "t3" }, "blocks " + blocks + (blocks === 1 ? " other case" : " other cases")));
        if (check) box.append(...summary(check));
        else if (sentence !== reason) box.append(make("div", { class: "says" }, reason.slice(sentence.length + 2)));
        if (withPictures) { thumbs.parts = pictureParts(withPictures).slice(0, 3); box.append(thumbs); lazy.observe(thumbs); }
        const rule = ruleText(first);
        if (rule) box.append(rule);
        if (first.file) box.append(make("div", { class: "says mono" }, sourceLink(first.file, first.line)));
        const links = make("div", { class: "links" });
        const link = c => make("button", { class: "link mono", type: "button", onclick: () => openCase(c) }, c.id);
        links.append(...list.slice(0, 8).map(link));
        if (list.length > 8) {
            const more = make("button", { class: "link", type: "button" }, "and " + (list.length - 8) + " more");
            more.addEventListener("click", () => { more.remove(); links.append(...list.slice(8, 600).map(link)); });
            links.append(more);
        }
        box.append(links);
        return box;
    }
    let given = 0;
    const end = make("div", {});
    $("causes").after(end);
    const growing = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting)) grow(); }, { rootMargin: "800px" });
    function grow() {
        $("causes").append(...sorted.slice(given, given + (given ? 24 : 6)).map(card));
        given += given ? 24 : 6;
        if (given >= sorted.length) growing.disconnect();
    }
    grow();
    addEventListener("beforeprint", () => {
        for (const thumbs of document.querySelectorAll(".thumbs")) if (thumbs.parts) fill(thumbs);
        for (const box of document.querySelectorAll("#figures details")) box.open = false;
    });
    if (given < sorted.length) {
        const more = make("button", { type: "button" }, "show all " + sorted.length + " groups");
        more.addEventListener("click", () => { more.remove(); growing.observe(end); grow(); });
        end.append(more);
    }
}
