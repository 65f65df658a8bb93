/* capture_json.c: creates the objects of a capture with jansson. */
#include "tests/host/decode/capture_json.h"
#include "tests/host/json_out.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void print_line(struct agpu_capture_json *writer, json_t *object)
{
    writer->stream.failed = !agpu_json_line(object, writer->out) || writer->stream.failed;
}

static void add(struct agpu_capture_json *writer, json_t *object, json_t *more)
{
    if (more == NULL || json_object_update(object, more) != 0) {
        writer->stream.failed = true;
    }
    json_decref(more);
}

static json_t *hexadecimal(const uint8_t *bytes, uint32_t size)
{
    char *text = malloc(2 * (size_t)size + 1);
    json_t *value;

    if (text == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < size; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    value = json_stringn(text, 2 * (size_t)size);
    free(text);
    return value;
}

json_t *agpu_json_number64(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    return json_string(text);
}

static json_t *access_members(const struct agpu_capture_access *access, bool legacy)
{
    char room[AGPU_REGISTER_NAME];

    return json_pack("{s:s,s:s,s:o,s:i,s:o,s:I,s:b}", "type", access->write != 0 ? "write" : "read",
                     "register", agpu_register_name(legacy, access->space, access->offset, room), "offset",
                     agpu_json_number64(access->offset), "size", (int)access->size, "value",
                     agpu_json_number64(access->value), "count", (json_int_t)access->count, "earlier",
                     (access->flags & AGPU_CAPTURE_EARLIER) != 0);
}

static json_t *submission_members(const struct agpu_capture_item *item)
{
    const struct agpu_capture_submission *submission = item->submission;

    return json_pack("{s:s,s:I,s:o,s:I,s:I,s:I,s:o,s:o,s:I,s:o,s:I,s:I,s:o}", "type", "submission", "number",
                     (json_int_t)submission->number, "fence", agpu_json_number64(submission->fence),
                     "context", (json_int_t)submission->context, "flags", (json_int_t)submission->flags,
                     "slot", (json_int_t)submission->slot, "descriptor_address",
                     agpu_json_number64(submission->descriptor_address), "cmd_address",
                     agpu_json_number64(submission->cmd_address), "cmd_bytes",
                     (json_int_t)submission->cmd_bytes, "table_address",
                     agpu_json_number64(submission->table_address), "table_bytes",
                     (json_int_t)submission->table_bytes, "missing", (json_int_t)submission->missing,
                     "descriptor", hexadecimal(item->tail, item->tail_size));
}

static json_t *register_members(const struct agpu_capture_item *item, bool legacy)
{
    char room[AGPU_REGISTER_NAME];
    json_t *registers = json_object();

    for (uint32_t i = 0; i < item->registers->count; i++) {
        struct agpu_capture_register reg;

        memcpy(&reg, item->tail + i * sizeof reg, sizeof reg);
        json_object_set_new(registers, agpu_register_name(legacy, 0, reg.offset, room),
                            json_integer(reg.value));
    }
    return json_pack("{s:s,s:o}", "type", "state", "registers", registers);
}

static json_t *members_of(const struct agpu_capture_item *item, bool legacy)
{
    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        return json_pack("{s:s,s:i,s:s,s:b,s:o,s:s}", "type", "device", "function", (int)item->function,
                         "view", item->device->view == AGPU_CAPTURE_GUEST ? "guest" : "wire", "legacy",
                         (int)legacy, "config", hexadecimal(item->device->config, AGPU_CAPTURE_CONFIG_BYTES),
                         "producer", item->text);
    case AGPU_CAPTURE_CASE:
        return json_pack("{s:s,s:s,s:I}", "type", "case", "id", item->text, "index",
                         (json_int_t)item->test->index);
    case AGPU_CAPTURE_CASE_END:
        return json_pack("{s:s,s:s}", "type", "case_end", "status", item->text);
    case AGPU_CAPTURE_MAP:
        return json_pack("{s:s,s:o,s:o,s:i,s:i}", "type", "map", "address",
                         agpu_json_number64(item->map->address), "size", agpu_json_number64(item->map->size),
                         "kind", (int)item->map->kind, "bar", (int)item->map->bar);
    case AGPU_CAPTURE_UNMAP:
        return json_pack("{s:s,s:o,s:o}", "type", "unmap", "address", agpu_json_number64(item->map->address),
                         "size", agpu_json_number64(item->map->size));
    case AGPU_CAPTURE_ACCESS:
        return access_members(item->access, legacy);
    case AGPU_CAPTURE_CONTENTS:
    case AGPU_CAPTURE_CHANGED:
        return json_pack("{s:s,s:o,s:I,s:b,s:o}", "type",
                         item->type == AGPU_CAPTURE_CHANGED ? "changed" : "contents", "address",
                         agpu_json_number64(item->bytes->address), "size", (json_int_t)item->bytes->size,
                         "mixed", (int)((item->bytes->flags & AGPU_CAPTURE_MIXED) != 0), "bytes",
                         hexadecimal(item->tail, item->tail_size));
    case AGPU_CAPTURE_SUBMISSION:
        return submission_members(item);
    case AGPU_CAPTURE_BACK:
        return json_pack("{s:s,s:o,s:I,s:I,s:I}", "type", "back", "fence",
                         agpu_json_number64(item->back->fence), "finished", (json_int_t)item->back->finished,
                         "head", (json_int_t)item->back->head, "pending", (json_int_t)item->back->pending);
    case AGPU_CAPTURE_REGISTERS:
        return register_members(item, legacy);
    case AGPU_CAPTURE_LINE:
        return json_pack("{s:s,s:I,s:I}", "type", "line", "level", (json_int_t)item->line->level, "source",
                         (json_int_t)item->line->source);
    case AGPU_CAPTURE_WAY:
        return json_pack("{s:s,s:s}", "type", "way", "way", agpu_way_name(item->way->way));
    case AGPU_CAPTURE_LOST:
        return json_pack("{s:s,s:I,s:I,s:s}", "type", "lost", "records", (json_int_t)item->lost->records,
                         "bytes", (json_int_t)item->lost->bytes, "text", item->text);
    case AGPU_CAPTURE_NOTE:
        return json_pack("{s:s,s:s}", "type", "note", "text", item->text);
    }
    return NULL;
}

static void json_record(void *ctx, const struct agpu_capture_item *item, bool legacy)
{
    struct agpu_capture_json *writer = ctx;
    json_t *object =
        json_pack("{s:I,s:I}", "record", (json_int_t)item->number, "t_ns", (json_int_t)item->time_ns);

    add(writer, object, members_of(item, legacy));
    print_line(writer, object);
}

static void json_entry(void *ctx, const struct aerogpu_alloc_entry *entry, uint32_t index)
{
    print_line(ctx, json_pack("{s:{s:I,s:I,s:o,s:o,s:I}}", "allocation", "index", (json_int_t)index, "id",
                              (json_int_t)entry->alloc_id, "address", agpu_json_number64(entry->gpa), "size",
                              agpu_json_number64(entry->size_bytes), "flags", (json_int_t)entry->flags));
}

static void json_remark(void *ctx, const char *text)
{
    print_line(ctx, json_pack("{s:s}", "remark", text));
}

struct agpu_capture_view_output agpu_capture_json_output(struct agpu_capture_json *writer, FILE *out)
{
    struct agpu_capture_view_output output = {
        .ctx = writer, .record = json_record, .entry = json_entry, .remark = json_remark};

    writer->out = out;
    output.stream = agpu_json_writer_output(&writer->stream, out);
    return output;
}

void agpu_capture_json_finish(struct agpu_capture_json *writer, const struct agpu_capture_json_end *end)
{
    print_line(writer, json_pack("{s:{s:s,s:I,s:I,s:s}}", "end", "status", end->status, "records",
                                 (json_int_t)end->place.records, "bytes", (json_int_t)end->place.bytes,
                                 "text", end->text));
}
