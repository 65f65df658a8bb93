/* picture.js: pictures texel by texel: expected, actual and difference side by side, moved and zoomed together. */

/* The bytes of an 8-bit RGB or RGBA PNG as they are in the file: a canvas would change colours that alpha hides. */
async function decodePng(bytes) {
    const view = new DataView(bytes.buffer);
    let at = 8, w = 0, h = 0, channels = 0;
    const parts = [];
    while (at + 12 <= bytes.length) {
        const length = view.getUint32(at), type = String.fromCharCode(...bytes.subarray(at + 4, at + 8)), from = at + 8;
        if (type === "IHDR") {
            w = view.getUint32(from); h = view.getUint32(from + 4);
            channels = { 2: 3, 6: 4 }[bytes[from + 9]] || 0;
            if (bytes[from + 8] !== 8 || !channels || bytes[from + 12] || w * h > 1 << 24) throw new Error("another kind of PNG");
        } else if (type === "IDAT") parts.push(bytes.subarray(from, from + length));
        at = from + length + 4;
    }
    const raw = new Uint8Array(await new Response(new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
    const line = w * channels, out = new Uint8ClampedArray(w * h * 4), done = new Uint8Array(line * h);
    for (let y = 0; y < h; y++) {
        const filter = raw[y * (line + 1)];
        for (let x = 0; x < line; x++) {
            const a = x >= channels ? done[y * line + x - channels] : 0, b = y ? done[(y - 1) * line + x] : 0, c = x >= channels && y ? done[(y - 1) * line + x - channels] : 0;
            const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
            const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter] || 0;
            done[y * line + x] = raw[y * (line + 1) + 1 + x] + guess;
        }
        for (let x = 0; x < w; x++) {
            for (let k = 0; k < 4; k++) out[(y * w + x) * 4 + k] = k < channels ? done[y * line + x * channels + k] : 255;
        }
    }
    return { w, h, texels: out };
}

function hex(texels, at) { return "#" + [0, 1, 2, 3].map(k => texels[at * 4 + k].toString(16).padStart(2, "0")).join(""); }

/* parts: [[title, file], ...] */
function pictures(parts) {
    const box = make("section", { class: "pictures" }, make("h3", {}, "Pictures"));
    const panes = make("div", { class: "panes" }), texel = make("div", { class: "texel mono", role: "status" }, "point at a texel");
    const views = [];
    let zoom = 0, left = 0, top = 0, mark = null, size = null;
    const button = (text, title, action) => make("button", { type: "button", title, "aria-label": title, onclick: action }, text);
    const bar = make("div", { class: "buttons" }, button("\u2212", "smaller", () => scale(.5)), button("+", "larger", () => scale(2)), button("fit", "all of it", fit));

    function draw() {
        for (const v of views) {
            const ratio = devicePixelRatio || 1, w = v.canvas.clientWidth, h = v.canvas.clientHeight, g = v.canvas.getContext("2d");
            if (!w || !v.bitmap) continue;
            v.canvas.width = w * ratio; v.canvas.height = h * ratio;
            g.scale(ratio, ratio);
            for (let y = 0; y < h; y += 8) for (let x = y / 8 % 2 * 8; x < w; x += 16) { g.fillStyle = "rgba(128,128,128,.16)"; g.fillRect(x, y, 8, 8); }
            g.imageSmoothingEnabled = false;
            g.drawImage(v.bitmap, -left * zoom, -top * zoom, v.image.w * zoom, v.image.h * zoom);
            if (zoom >= 10) {
                g.strokeStyle = "rgba(128,128,128,.35)"; g.lineWidth = .5; g.beginPath();
                for (let x = 0; x <= v.image.w; x++) { g.moveTo((x - left) * zoom, -top * zoom); g.lineTo((x - left) * zoom, (v.image.h - top) * zoom); }
                for (let y = 0; y <= v.image.h; y++) { g.moveTo(-left * zoom, (y - top) * zoom); g.lineTo((v.image.w - left) * zoom, (y - top) * zoom); }
                g.stroke();
            }
            if (mark) {
                for (const [colour, wide] of [["#000", 3], ["#fff", 1.2]]) {
                    g.strokeStyle = colour; g.lineWidth = wide;
                    g.strokeRect((mark.x - left) * zoom, (mark.y - top) * zoom, zoom, zoom);
                }
            }
        }
    }
    function tell() {
        texel.replaceChildren();
        if (!mark) return;
        texel.append("texel " + mark.x + "," + mark.y + "  ");
        for (const v of views) {
            if (!v.image || mark.x >= v.image.w || mark.y >= v.image.h) continue;
            const value = hex(v.image.texels, mark.y * v.image.w + mark.x), swatch = make("span", { class: "swatch" });
            swatch.style.background = value;
            texel.append("  " + v.title + " ", swatch, value);
        }
    }
    function fit() {
        const v = views.find(view => view.image);
        if (!v) return;
        const most = v.canvas.clientWidth / Math.max(v.image.w, v.image.h);
        zoom = most >= 1 ? Math.floor(most) : most;
        left = top = 0;
        draw();
    }
    function scale(by, x, y) {
        const v = views.find(view => view.image), before = zoom;
        if (!v) return;
        zoom = Math.max(.05, Math.min(96, zoom * by));
        const cx = x === undefined ? v.canvas.clientWidth / 2 : x, cy = y === undefined ? v.canvas.clientHeight / 2 : y;
        left += cx / before - cx / zoom; top += cy / before - cy / zoom;
        draw();
    }
    function place(event) {
        return { x: Math.floor(event.offsetX / zoom + left), y: Math.floor(event.offsetY / zoom + top) };
    }
    function point(at) {
        mark = size && at.x >= 0 && at.y >= 0 && at.x < size.w && at.y < size.h ? at : null;
        tell();
        draw();
    }
    for (const [title, file] of parts) {
        const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": title });
        const v = { title, canvas };
        let held = null;
        views.push(v);
        panes.append(make("figure", {}, canvas, make("figcaption", {}, title)));
        canvas.addEventListener("pointerdown", event => { held = { x: event.offsetX, y: event.offsetY, left, top }; canvas.setPointerCapture(event.pointerId); });
        canvas.addEventListener("pointerup", () => { held = null; });
        canvas.addEventListener("pointermove", event => {
            if (held && (Math.abs(event.offsetX - held.x) > 3 || Math.abs(event.offsetY - held.y) > 3)) {
                left = held.left - (event.offsetX - held.x) / zoom; top = held.top - (event.offsetY - held.y) / zoom;
            }
            point(place(event));
        });
        canvas.addEventListener("wheel", event => { event.preventDefault(); scale(event.deltaY < 0 ? 1.25 : .8, event.offsetX, event.offsetY); }, { passive: false });
        canvas.addEventListener("keydown", event => {
            const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
            if (step) { const from = mark || { x: -1, y: 0 }; point({ x: from.x + step[0], y: from.y + step[1] }); }
            else if (event.key === "+" || event.key === "=") scale(2);
            else if (event.key === "-") scale(.5);
            else if (event.key === "0") fit();
            else return;
            event.preventDefault();
        });
        decodePng(bytesOf(data.files[file][1])).then(image => {
            v.image = image;
            v.bitmap = make("canvas", { width: image.w, height: image.h });
            v.bitmap.getContext("2d").putImageData(new ImageData(image.texels, image.w, image.h), 0, 0);
            canvas.dataset.ready = "1";
            size = size || image;
            if (!zoom) fit(); else draw();
        }).catch(() => { canvas.replaceWith(make("img", { src: "data:image/png;base64," + data.files[file][1], alt: title })); });
    }
    box.append(bar, panes, texel);
    new ResizeObserver(() => { if (zoom) fit(); }).observe(panes);
    return box;
}
