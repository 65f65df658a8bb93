/* base.js: the data of the page, and how elements are made. Texts of records only ever become text nodes. */
const data = JSON.parse(document.getElementById("data").textContent);
const names = ["PASS", "SKIP", "INTERRUPTED", "ERROR", "FAIL", "TIMEOUT", "CRASH"];
const words = ["passed", "skipped", "interrupted", "errors", "failed", "timed out", "crashed"];
const glyphs = ["\u2713", "\u2013", "\u25a0", "!", "\u2717", "\u29d6", "\u26a1"];
const $ = id => document.getElementById(id);

function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
    return element;
}

function duration(us) {
    if (us < 10000) return us + " \u00b5s";
    if (us < 10000000) return Math.round(us / 1000) + " ms";
    return (us / 1e6).toFixed(1) + " s";
}

/* Local time, and how far it is from UTC. */
function moment(s) {
    const at = new Date(s * 1000), zone = -at.getTimezoneOffset(), two = value => String(Math.trunc(value)).padStart(2, "0");
    return new Date(at.getTime() + zone * 60000).toISOString().slice(0, 19).replace("T", " ") + (zone < 0 ? " -" : " +") + two(Math.abs(zone) / 60) + ":" + two(Math.abs(zone) % 60);
}

/* A figure in a unit that leaves one to four digits. */
function figure(value, unit) {
    const steps = { ns: ["ns", "\u00b5s", "ms", "s"], us: ["\u00b5s", "ms", "s"], bytes: ["B", "KiB", "MiB", "GiB"], B: ["B", "KiB", "MiB", "GiB"] }[unit];
    if (!steps) return number(value) + (unit === "1" || unit === "count" ? "" : " " + unit);
    let at = 0;
    for (const by = steps[0] === "B" ? 1024 : 1000; Math.abs(value) >= by && at + 1 < steps.length; at++) value /= by;
    return String(+value.toPrecision(4)) + " " + steps[at];
}

function seconds(s) {
    return s === null || s < 0 ? null : s.toFixed(s < 10 ? 2 : 1) + " s";
}

function number(value) {
    if (Number.isInteger(value)) return value.toLocaleString("en-US");
    return Math.abs(value) >= 1000 ? value.toLocaleString("en-US", { maximumFractionDigits: 1 }) : String(+value.toPrecision(5));
}

function bytesOf(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

function hexDump(bytes) {
    const rows = [];
    for (let at = 0; at < bytes.length; at += 16) rows.push(at.toString(16).padStart(6, "0") + "  " + [...bytes.slice(at, at + 16)].map(byte => byte.toString(16).padStart(2, "0")).join(" "));
    return rows.join("\n");
}

/* [id, status, us, start, more]: more holds what only some have. */
const cases = data.cases.map((row, i) => ({
    i, id: row[0], s: row[1], us: row[2], start: row[3], ...(row[4] || {}),
    subject: row[0].slice(row[0].indexOf("/") + 1).split(".")[0],
}));
for (const c of cases) {
    const check = c.checks && c.checks[0];
    c.why = c.reason || (check ? check[0] + (check[1] !== null ? ": expected " + check[1] : "") + (check[2] !== null ? ", actual " + check[2] : "") : "");
    c.text = (c.id + " " + names[c.s] + " " + c.why + " " + (c.says || "") + " " + (c.spec || "")).toLowerCase();
}
const failed = cases.filter(c => c.s > 1);

const shown = new Set(names.keys());
let wanted = "";
const watchers = [];
function changed() { for (const watcher of watchers) watcher(); }
function isShown(c) {
    return shown.has(c.s) && (wanted === "" || wanted.split(/\s+/).every(word => c.text.includes(word)));
}

function tip(text, x, y) {
    const box = $("tip");
    box.hidden = text === null;
    if (text === null) return;
    box.textContent = text;
    box.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.offsetWidth - 8)) + "px";
    box.style.top = (y + 24 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 8 : y + 16) + "px";
}

function caseTip(c) { return names[c.s] + "  " + c.id + "  " + duration(c.us) + (c.why ? "  \u2014 " + c.why.slice(0, 160) : ""); }

function fileKind(name, id) {
    const plain = id.replace("/", "-").replace(/[^A-Za-z0-9_.-]/g, "_") + "-";
    return name.startsWith(plain) ? name.slice(plain.length) : name;
}
