/* page.c: the frame and the style of pages about the history (page.h). */
#include "tests/host/history/page.h"

#include "tests/host/report/text.h"

/* Colours as in report.html. */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#f5f6f8;--card:#fff;--ink:#1a1f29;--soft:#565f70;--line:#e2e6ec;"
    "--accent:#3454d1;--pass:#237a53;--bad:#cf2e41}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#0e1116;--card:#161a21;--ink:#e5e9f0;--soft:#97a2b4;"
    "--line:#272d38;--accent:#8ea6ff;--pass:#4cc38a;--bad:#ff6575}}\n"
    "body{margin:1.5rem auto;max-width:72rem;padding:0 1rem;background:var(--bg);color:var(--ink);"
    "font:15px/1.5 system-ui,\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.2rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:0 0 .5rem;overflow-wrap:anywhere}\n"
    "section,figure{margin:1rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);"
    "border-radius:10px;overflow-x:auto;break-inside:avoid}\n"
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}\n"
    "nav{display:flex;gap:.6rem 1rem;flex-wrap:wrap;align-items:center}form{display:contents}\n"
    "input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:8px;"
    "padding:.25rem .7rem}\n"
    "nav a{border:1px solid var(--line);border-radius:99px;padding:.1rem .7rem}"
    "nav a[aria-current]{border-color:var(--accent);font-weight:600}\n"
    "progress{accent-color:var(--accent)}table{border-collapse:collapse;width:100%}"
    "td{padding:.25rem .6rem;border-bottom:1px solid var(--line)}\n"
    "pre{margin:0;font-size:.85rem}.PASS{color:var(--pass)}.bad{color:var(--bad);font-weight:600}\n"
    "figcaption{color:var(--soft);font-size:.85rem;white-space:pre-line}"
    "svg{width:100%;height:auto;display:block}\n"
    "line{stroke:var(--line)}line.middle{stroke:var(--soft);stroke-dasharray:4 4}"
    "polyline{fill:none;stroke:var(--accent);stroke-width:1.5;opacity:.6}\n"
    "circle{fill:var(--accent)}circle.far{fill:var(--bad)}text{fill:var(--soft);font-size:12px}\n";

void agpu_history_page_begin(FILE *out, const char *title, unsigned refresh_s)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width\">",
          out);
    if (refresh_s != 0) {
        fprintf(out, "<meta http-equiv=\"refresh\" content=\"%u\">", refresh_s);
    }
    fputs("<title>", out);
    agpu_text_write_xml(out, title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    agpu_text_write_xml(out, title);
    fputs("</h1>\n", out);
}

bool agpu_history_page_end(FILE *out)
{
    fputs("</body></html>\n", out);
    return fflush(out) == 0 && !ferror(out);
}
