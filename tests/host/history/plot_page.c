/* plot_page.c: draws values over time for a browser (plot_page.h). */
#include "tests/host/history/plot_page.h"

#include <math.h>

#include "tests/host/report/text.h"

/* Units of the drawing, which the page scales. */
#define WIDTH  960.0
#define HEIGHT 180.0
#define LEFT   90.0
#define MARGIN 12.0

static const char head[] =
    "<style>:root{color-scheme:light "
    "dark;--bg:#f5f6f8;--card:#fff;--ink:#1a1f29;--soft:#5d6879;--line:#e2e6ec;"
    "--dot:#3454d1;--far:#cf2e41}"
    "@media(prefers-color-scheme:dark){:root{--bg:#0e1116;--card:#161a21;--ink:#e5e9f0;--soft:#97a2b4;--line:"
    "#272d38;"
    "--dot:#8ea6ff;--far:#ff6575}}"
    "body{margin:1.5rem auto;max-width:62rem;padding:0 1rem;background:var(--bg);color:var(--ink);"
    "font:15px/1.5 system-ui,\"DejaVu Sans\",sans-serif}"
    "figure{margin:1rem 0;padding:1rem;background:var(--card);border:1px solid "
    "var(--line);border-radius:10px;"
    "break-inside:avoid}"
    "h1{font-size:1.1rem}h2{font-size:.95rem;margin:0 0 .5rem;overflow-wrap:anywhere}"
    "figcaption{color:var(--soft);font-size:.85rem;white-space:pre-line}svg{width:100%;height:auto;display:"
    "block}"
    "line{stroke:var(--soft);stroke-dasharray:4 4}polyline{fill:none;stroke:var(--line);stroke-width:1.5}"
    "circle{fill:var(--dot)}circle.far{fill:var(--far)}text{fill:var(--soft);font-size:12px}</style></"
    "head><body>\n";

void agpu_plot_page_begin(FILE *out, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width\"><title>",
          out);
    agpu_text_write_xml(out, title);
    fprintf(out, "</title>%s<h1>", head);
    agpu_text_write_xml(out, title);
    fputs("</h1>\n", out);
}

struct scale {
    double low;
    double high;
    size_t count;
};

static double x_of(const struct scale *scale, size_t i)
{
    const double share = scale->count > 1 ? (double)i / (double)(scale->count - 1) : 0.5;

    return LEFT + share * (WIDTH - LEFT - MARGIN);
}

static double y_of(const struct scale *scale, double value)
{
    const double share = scale->high > scale->low ? (value - scale->low) / (scale->high - scale->low) : 0.5;

    return HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN);
}

static void write_drawing(FILE *out, const struct scale *scale, const double *values, double middle,
                          double limit)
{
    fprintf(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\">", WIDTH, HEIGHT);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%.5g</text>", LEFT - 10,
            y_of(scale, scale->high) + 4, scale->high);
    if (scale->high > scale->low) {
        fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%.5g</text>", LEFT - 10,
                y_of(scale, scale->low) + 4, scale->low);
    }
    if (limit >= 0 && middle >= scale->low && middle <= scale->high) {
        fprintf(out, "<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - MARGIN,
                y_of(scale, middle), y_of(scale, middle));
    }
    fputs("<polyline points=\"", out);
    for (size_t i = 0; i < scale->count; i++) {
        fprintf(out, "%.1f,%.1f ", x_of(scale, i), y_of(scale, values[i]));
    }
    fputs("\"/>", out);
    for (size_t i = 0; i < scale->count; i++) {
        fprintf(out, "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%.6g</title></circle>",
                limit >= 0 && fabs(values[i] - middle) > limit ? " class=\"far\"" : "", x_of(scale, i),
                y_of(scale, values[i]), values[i]);
    }
    fputs("</svg>", out);
}

void agpu_plot_page_add(FILE *out, const char *heading, const char *caption, const double *values,
                        size_t count, double middle, double limit)
{
    struct scale scale = {.low = INFINITY, .high = -INFINITY, .count = count};

    for (size_t i = 0; i < count; i++) {
        scale.low = fmin(scale.low, values[i]);
        scale.high = fmax(scale.high, values[i]);
    }
    if (count == 0 || !isfinite(scale.high - scale.low)) {
        return;
    }
    fputs("<figure><h2>", out);
    agpu_text_write_xml(out, heading);
    fputs("</h2>", out);
    write_drawing(out, &scale, values, middle, limit);
    fputs("<figcaption>", out);
    agpu_text_write_xml(out, caption);
    fputs("</figcaption></figure>\n", out);
}

bool agpu_plot_page_end(FILE *out)
{
    fputs("</body></html>\n", out);
    return fflush(out) == 0 && !ferror(out);
}
