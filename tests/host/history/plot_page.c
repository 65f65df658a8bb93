/* plot_page.c: draws values over time for a browser (plot_page.h). */
#include "tests/host/history/plot_page.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tests/host/report/text.h"

/* Units of the drawing, which the page scales. */
#define WIDTH  960.0
#define HEIGHT 200.0
#define LEFT   90.0
#define BOTTOM 30.0
#define MARGIN 12.0

#define TICKS 4.0 /* wanted number of steps of the axis */

struct scale {
    double low, high;
    double step; /* between two ticks: 1, 2 or 5 times a power of ten */
    size_t count;
};

static double x_of(const struct scale *scale, size_t i)
{
    const double share = scale->count > 1 ? (double)i / (double)(scale->count - 1) : 0.5;

    return LEFT + MARGIN + share * (WIDTH - LEFT - 2 * MARGIN);
}

static double y_of(const struct scale *scale, double value)
{
    return HEIGHT - BOTTOM - (value - scale->low) / (scale->high - scale->low) * (HEIGHT - BOTTOM - MARGIN);
}

/* Returns a scale from tick to tick around the values; a single value gets a tick below and one above. */
static struct scale scale_of(const double *values, size_t count)
{
    struct scale scale = {.low = INFINITY, .high = -INFINITY, .count = count};

    for (size_t i = 0; i < count; i++) {
        scale.low = fmin(scale.low, values[i]);
        scale.high = fmax(scale.high, values[i]);
    }
    const double span = scale.high - scale.low;
    const double wanted = (span > 0 ? span : scale.high != 0 ? fabs(scale.high) : 1) / TICKS;
    const double power = pow(10, floor(log10(wanted)));
    const double share = wanted / power;

    scale.step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
    scale.low = floor(scale.low / scale.step) * scale.step;
    scale.high = ceil(scale.high / scale.step) * scale.step;
    if (scale.high <= scale.low) {
        scale.low -= scale.step;
        scale.high += scale.step;
    }
    return scale;
}

static void write_line(FILE *out, const struct scale *scale, double value, const char *class)
{
    const double y = y_of(scale, value);

    fprintf(out, "<line class=\"%s\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", class, LEFT, WIDTH, y,
            y);
}

static void write_value_axis(FILE *out, const struct scale *scale, const char *unit)
{
    const unsigned ticks = (unsigned)((scale->high - scale->low) / scale->step + 0.5);

    for (unsigned i = 0; i <= ticks; i++) {
        const double value = scale->low + i * scale->step;

        write_line(out, scale, value, "tick");
        fprintf(out, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.6g ", LEFT - 8, y_of(scale, value) + 4,
                fabs(value) < scale->step / 2 ? 0 : value);
        agpu_text_write_xml(out, unit);
        fputs("</text>", out);
    }
}

/* "run 12, 2026-11-22" below a value. */
static void write_run(FILE *out, const struct scale *scale, const struct agpu_past_run *run, size_t i,
                      const char *anchor)
{
    const time_t at = (time_t)run->started_at;
    struct tm when;
    char date[32] = "";

    if (localtime_r(&at, &when) != NULL) {
        strftime(date, sizeof date, ", %Y-%m-%d", &when);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"%s\">run %lld%s</text>", x_of(scale, i),
            HEIGHT - BOTTOM / 3, anchor, (long long)run->id, date);
}

static void write_points(FILE *out, const struct scale *scale, const struct agpu_plot_page_drawing *drawing)
{
    fputs("<polyline points=\"", out);
    for (size_t i = 0; i < scale->count; i++) {
        fprintf(out, "%.1f,%.1f ", x_of(scale, i), y_of(scale, drawing->values[i]));
    }
    fputs("\"/>", out);
    for (size_t i = 0; i < scale->count; i++) {
        const bool far = drawing->limit >= 0 && fabs(drawing->values[i] - drawing->middle) > drawing->limit;

        fprintf(out, "<circle%s cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%.6g ", far ? " class=\"far\"" : "",
                x_of(scale, i), y_of(scale, drawing->values[i]), drawing->values[i]);
        agpu_text_write_xml(out, drawing->unit);
        fprintf(out, ", run %lld</title></circle>",
                (long long)drawing->runs->items[drawing->positions[i]].id);
    }
}

void agpu_plot_page_add(FILE *out, const struct agpu_plot_page_drawing *drawing)
{
    const struct scale scale = scale_of(drawing->values, drawing->count);
    const struct agpu_past_run *runs = drawing->runs->items;

    if (drawing->count == 0 || !isfinite(scale.low) || !isfinite(scale.high) || scale.step <= 0) {
        return;
    }
    fputs("<figure><h2>", out);
    agpu_text_write_xml(out, drawing->heading);
    fprintf(out, "</h2><svg viewBox=\"0 0 %g %g\" role=\"img\">", WIDTH, HEIGHT);
    write_value_axis(out, &scale, drawing->unit);
    if (drawing->limit >= 0 && drawing->middle >= scale.low && drawing->middle <= scale.high) {
        write_line(out, &scale, drawing->middle, "middle");
    }
    write_points(out, &scale, drawing);
    write_run(out, &scale, &runs[drawing->positions[0]], 0, scale.count > 1 ? "start" : "middle");
    if (scale.count > 1) {
        write_run(out, &scale, &runs[drawing->positions[scale.count - 1]], scale.count - 1, "end");
    }
    fputs("</svg><figcaption>", out);
    agpu_text_write_xml(out, drawing->caption);
    fputs("</figcaption></figure>\n", out);
}
