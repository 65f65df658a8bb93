/* write_json.c: creates the objects of a decoded stream with jansson. */
#include "tests/host/decode/write_json.h"
#include "tests/host/json_out.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void set(struct agpu_json_writer *writer, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) {
        writer->failed = true;
    }
}

static void append(struct agpu_json_writer *writer, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) {
        writer->failed = true;
    }
}

static void print_line(struct agpu_json_writer *writer, json_t *object)
{
    writer->failed = !agpu_json_line(object, writer->out) || writer->failed;
}

static void json_stream(void *ctx, uint64_t offset, uint32_t size, uint32_t version)
{
    print_line(ctx, json_pack("{s:{s:I,s:I,s:I}}", "stream", "offset", (json_int_t)offset, "size",
                              (json_int_t)size, "version", (json_int_t)version));
}

static void json_packet(void *ctx, const struct agpu_decoded *decoded)
{
    struct agpu_json_writer *writer = ctx;
    json_t *packet = json_object();

    writer->packet = packet;
    writer->members = json_array();
    writer->problems = json_array();
    set(writer, packet, "offset", json_integer((json_int_t)decoded->offset));
    set(writer, packet, "packet", decoded->packet != NULL ? json_string(decoded->packet->name) : json_null());
    set(writer, packet, "opcode", json_integer(decoded->opcode));
    set(writer, packet, "size", json_integer(decoded->size));
    set(writer, packet, "section", json_string(decoded->section));
    set(writer, packet, "members", writer->members);
    set(writer, packet, "problems", writer->problems);
}

/* JSON has no infinities and no NaN. */
static json_t *json_float(const uint8_t *bytes)
{
    float value;
    char text[32];

    memcpy(&value, bytes, sizeof value);
    if (isfinite(value)) {
        return json_real((double)value);
    }
    snprintf(text, sizeof text, "%g", (double)value);
    return json_string(text);
}

static json_t *json_unit(const struct agpu_member *member, const uint8_t *bytes, uint32_t unit)
{
    const char *name;
    uint64_t value = 0;

    memcpy(&value, bytes, unit < 8 ? unit : 8);
    switch (member->kind) {
    case AGPU_MEMBER_FLOATS:
        return json_float(bytes);
    case AGPU_MEMBER_SIGNED:
        return json_integer((int32_t)(uint32_t)value);
    case AGPU_MEMBER_VALUE:
        name = agpu_value_name(member->prefix, value);
        return name != NULL ? json_string(name) : json_integer((json_int_t)value);
    default:
        return json_integer((json_int_t)value);
    }
}

static void json_member(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element)
{
    struct agpu_json_writer *writer = ctx;
    const uint32_t unit = member->size == 8 || member->size < 4 ? member->size : 4;
    json_t *entry = json_object();

    set(writer, entry, "name", json_string(member->name));
    if (element >= 0) {
        set(writer, entry, "element", json_integer(element));
    }
    if (unit == member->size) {
        set(writer, entry, "value", json_unit(member, bytes, unit));
    } else {
        json_t *values = json_array();

        for (uint32_t at = 0; at < member->size; at += unit) {
            append(writer, values, json_unit(member, bytes + at, unit));
        }
        set(writer, entry, "value", values);
    }
    append(writer, writer->members, entry);
}

static void json_handle(void *ctx, uint32_t word, uint32_t handle, const char *what)
{
    struct agpu_json_writer *writer = ctx;
    const size_t count = json_array_size(writer->members);

    (void)word;
    if (count != 0) {
        json_t *entry = json_array_get(writer->members, count - 1);
        json_t *is = json_object_get(entry, "is");
        char key[16];

        if (is == NULL) {
            is = json_object();
            set(writer, entry, "is", is);
        }
        snprintf(key, sizeof key, "%u", handle);
        set(writer, is, key, json_string(what));
    }
}

static void json_payload(void *ctx, const uint8_t *bytes, uint64_t size)
{
    struct agpu_json_writer *writer = ctx;

    (void)bytes;
    set(writer, writer->packet, "payload_bytes", json_integer((json_int_t)size));
}

static void json_problem(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal)
{
    struct agpu_json_writer *writer = ctx;
    json_t *problem = json_pack("{s:I,s:s,s:s,s:b}", "offset", (json_int_t)offset, "text", text, "rule", rule,
                                "fatal", (int)fatal);

    if (writer->packet != NULL) {
        append(writer, writer->problems, problem);
    } else {
        print_line(writer, json_pack("{s:o}", "problem", problem));
    }
}

static void json_packet_end(void *ctx)
{
    struct agpu_json_writer *writer = ctx;

    print_line(writer, writer->packet);
    writer->packet = writer->members = writer->problems = NULL;
}

struct agpu_decode_output agpu_json_writer_output(struct agpu_json_writer *writer, FILE *out)
{
    *writer = (struct agpu_json_writer){.out = out};
    return (struct agpu_decode_output){.ctx = writer,
                                       .stream = json_stream,
                                       .packet = json_packet,
                                       .member = json_member,
                                       .handle = json_handle,
                                       .payload = json_payload,
                                       .problem = json_problem,
                                       .packet_end = json_packet_end};
}
