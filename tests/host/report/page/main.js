/* main.js: colours, keys, and everything in its place. */
const themed = [];
function theme(next) {
    const root = document.documentElement, key = "agpu-report-colours";
    let kept = null;
    try { kept = localStorage.getItem(key); } catch (error) { /* pages from a file may have no storage */ }
    const wish = next || kept || "auto";
    const dark = wish === "dark" || (wish === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "dark" : "light";
    root.dataset.wish = wish;
    $("theme").textContent = { auto: "\u25d0", light: "\u2600", dark: "\u263e" }[wish];
    $("theme").title = "colours: " + wish;
    if (next) try { localStorage.setItem(key, next); } catch (error) { /* as above */ }
    for (const draw of themed) draw();
}

$("app").hidden = false;
theme();
$("theme").addEventListener("click", () => theme({ auto: "light", light: "dark", dark: "auto" }[document.documentElement.dataset.wish]));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());
$("help").addEventListener("click", () => $("keys").showModal());
overview();
causes();
map();
strip();
lanes();
list();
figures();
document.addEventListener("keydown", event => {
    const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !$("detail").hidden) closeCase();
    else if (event.key === "Escape" && typing) { $("search").value = ""; wanted = ""; changed(); $("search").blur(); }
    else if (typing) return;
    else if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "?") $("keys").showModal();
});
const asked = decodeURIComponent(location.hash.slice(1));
const named = cases.find(c => c.id === asked);
if (named) openCase(named);
document.documentElement.dataset.ready = "1";
