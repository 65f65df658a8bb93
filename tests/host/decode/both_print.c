/* both_print.c: prints lines and objects for the comparison of two views. */
#include "tests/host/decode/both_print.h"

#include <inttypes.h>
#include <jansson.h>

#include "tests/host/decode/capture_json.h"
#include "tests/host/json_out.h"

/* ---- text ---- */

static void text_case(void *ctx, const char *id)
{
    fprintf(((const struct agpu_both_print *)ctx)->out, "== case %s\n", id);
}

static void text_view(FILE *out, const char *whose, const struct agpu_posted_view *view)
{
    if (view->number == 0) {
        fprintf(out, "%s %6s %26s", whose, "-", "");
        return;
    }
    fprintf(out, "%s %6" PRIu64 " at %9" PRIu64 ".%03u", whose, view->number, view->posted_ns / 1000,
            (unsigned)(view->posted_ns % 1000));
    if (view->back_ns >= view->posted_ns) {
        const uint64_t took = view->back_ns - view->posted_ns;

        fprintf(out, " +%5" PRIu64 ".%u us", took / 1000, (unsigned)(took % 1000 / 100));
    } else {
        fprintf(out, " %11s", "not back");
    }
}

static void text_pair(void *ctx, const struct agpu_both_pair *pair)
{
    FILE *out = ((const struct agpu_both_print *)ctx)->out;
    const struct agpu_posted_view *view = pair->guest.number != 0 ? &pair->guest : &pair->device;

    text_view(out, "guest", &pair->guest);
    text_view(out, "  device", &pair->device);
    fprintf(out, "  fence %" PRIu64 " at 0x%" PRIx64 ": ", view->fence, view->address);
    if (pair->guest.number == 0 || pair->device.number == 0) {
        fprintf(out, "! only the %s has it\n", pair->guest.number == 0 ? "device" : "guest");
        return;
    }
    if (pair->differences == 0) {
        fprintf(out, "same, stream %u bytes, table %u\n", view->stream_bytes, view->table_bytes);
        return;
    }
    fprintf(out, "! %" PRIu64 " %s\n", pair->differences,
            pair->differences == 1 ? "difference" : "differences");
    for (uint64_t i = 0; i < pair->differences && i < AGPU_BOTH_SHOWN; i++) {
        fprintf(out, "      ! %s: %s\n", pair->shown[i].part, pair->shown[i].text);
    }
    if (pair->differences > AGPU_BOTH_SHOWN) {
        fprintf(out, "      ! and %" PRIu64 " more\n", pair->differences - AGPU_BOTH_SHOWN);
    }
}

static void text_outside(void *ctx, uint64_t count, uint64_t first, uint64_t last)
{
    fprintf(((const struct agpu_both_print *)ctx)->out,
            "-- here the device has %" PRIu64 " more, %" PRIu64 " to %" PRIu64
            ", outside the cases of the guest's capture\n",
            count, first, last);
}

static void text_remark(void *ctx, const char *text)
{
    fprintf(((const struct agpu_both_print *)ctx)->out, "! %s\n", text);
}

struct agpu_both_output agpu_both_text(struct agpu_both_print *printer, FILE *out)
{
    *printer = (struct agpu_both_print){.out = out};
    return (struct agpu_both_output){
        .ctx = printer, .test = text_case, .pair = text_pair, .outside = text_outside, .remark = text_remark};
}

void agpu_both_text_end(const struct agpu_both_print *printer, const struct agpu_both_counts *counts)
{
    fprintf(printer->out,
            "%" PRIu64 " submissions of the guest, %" PRIu64 " of the device: %" PRIu64
            " pairs, of which %" PRIu64 " differ; only the guest has %" PRIu64 ", only the device %" PRIu64,
            counts->guest, counts->device, counts->pairs, counts->differing, counts->guest_only,
            counts->device_only);
    if (counts->outside != 0) {
        fprintf(printer->out, " (and %" PRIu64 " outside the guest's cases)", counts->outside);
    }
    if (counts->mixed != 0) {
        fprintf(printer->out, "; memory of %" PRIu64 " was not compared: others were under way",
                counts->mixed);
    }
    putc('\n', printer->out);
}

/* ---- JSON ---- */

static void print_line(struct agpu_both_print *printer, json_t *object)
{
    printer->failed = !agpu_json_line(object, printer->out) || printer->failed;
}

static void json_case(void *ctx, const char *id)
{
    print_line(ctx, json_pack("{s:s}", "case", id));
}

static json_t *json_view(const struct agpu_posted_view *view)
{
    if (view->number == 0) {
        return json_null();
    }
    return json_pack("{s:I,s:I,s:o,s:o,s:I,s:I,s:I,s:I,s:o}", "number", (json_int_t)view->number, "record",
                     (json_int_t)view->record, "fence", agpu_json_number64(view->fence), "address",
                     agpu_json_number64(view->address), "slot", (json_int_t)view->slot, "stream_bytes",
                     (json_int_t)view->stream_bytes, "table_bytes", (json_int_t)view->table_bytes, "t_ns",
                     (json_int_t)view->posted_ns, "back_t_ns",
                     view->back_ns != 0 ? json_integer((json_int_t)view->back_ns) : json_null());
}

static void json_pair(void *ctx, const struct agpu_both_pair *pair)
{
    json_t *differences = json_array();

    for (uint64_t i = 0; i < pair->differences && i < AGPU_BOTH_SHOWN; i++) {
        json_array_append_new(
            differences, json_pack("{s:s,s:s}", "part", pair->shown[i].part, "text", pair->shown[i].text));
    }
    print_line(ctx, json_pack("{s:{s:o,s:o,s:b,s:I,s:o}}", "pair", "guest", json_view(&pair->guest), "device",
                              json_view(&pair->device), "same",
                              pair->differences == 0 && pair->guest.number != 0 && pair->device.number != 0,
                              "difference_count", (json_int_t)pair->differences, "differences", differences));
}

static void json_outside(void *ctx, uint64_t count, uint64_t first, uint64_t last)
{
    print_line(ctx, json_pack("{s:{s:I,s:I,s:I}}", "outside", "count", (json_int_t)count, "first",
                              (json_int_t)first, "last", (json_int_t)last));
}

static void json_remark(void *ctx, const char *text)
{
    print_line(ctx, json_pack("{s:s}", "remark", text));
}

struct agpu_both_output agpu_both_json(struct agpu_both_print *printer, FILE *out)
{
    *printer = (struct agpu_both_print){.out = out};
    return (struct agpu_both_output){
        .ctx = printer, .test = json_case, .pair = json_pair, .outside = json_outside, .remark = json_remark};
}

void agpu_both_json_end(struct agpu_both_print *printer, const struct agpu_both_counts *counts)
{
    print_line(printer,
               json_pack("{s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}}", "summary", "guest",
                         (json_int_t)counts->guest, "device", (json_int_t)counts->device, "pairs",
                         (json_int_t)counts->pairs, "differing", (json_int_t)counts->differing, "guest_only",
                         (json_int_t)counts->guest_only, "device_only", (json_int_t)counts->device_only,
                         "outside", (json_int_t)counts->outside, "mixed", (json_int_t)counts->mixed));
}
