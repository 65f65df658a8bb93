/* write_text.c: prints the lines of a decoded stream. Formats numbers itself for speed: long captures consist mostly
 * of numbers. */
#include "tests/host/decode/write_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Room that is always reserved in a line: for the longest single value, and "...". */
#define SPARE 96u

/* Number of payload bytes that are printed. */
#define PAYLOAD_SHOWN 16u

/* Appends a piece of this size; what does not fit is cut off. */
static inline void add_piece(struct agpu_text_writer *writer, const char *text, size_t size)
{
    const size_t room = sizeof writer->line - 1 - writer->length;

    if (size <= room) { /* for a constant size this compiles to one or two moves */
        memcpy(writer->line + writer->length, text, size);
        writer->length += size;
    } else {
        memcpy(writer->line + writer->length, text, room);
        writer->length += room;
    }
}

/* Appends a text whose length the compiler knows. */
#define ADD(writer, text) add_piece((writer), (text), sizeof(text) - 1)

static void add(struct agpu_text_writer *writer, const char *text)
{
    add_piece(writer, text, strlen(text));
}

/* Reserves size bytes of the line and returns their end. Numbers are written in place, from their end: without an
 * array on the stack the compiler adds no stack protector. A number that does not fit is dropped completely, at the
 * end of a truncated line. */
static char *end_of_room(struct agpu_text_writer *writer, size_t size)
{
    if (size > sizeof writer->line - 1 - writer->length) {
        return NULL;
    }
    writer->length += size;
    return writer->line + writer->length;
}

static void add_hexadecimal(struct agpu_text_writer *writer, uint64_t value)
{
    const size_t digits = value != 0 ? (67u - (unsigned)__builtin_clzll(value)) / 4 : 1;
    char *end = end_of_room(writer, digits);

    if (end != NULL) {
        do {
            *--end = "0123456789abcdef"[value & 15];
            value >>= 4;
        } while (value != 0);
    }
}

/* Writes two digits per step. */
static void add_decimal(struct agpu_text_writer *writer, uint64_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    size_t digits = 1;
    char *end;

    for (uint64_t rest = value; rest >= 10; rest /= 10) {
        digits++;
    }
    end = end_of_room(writer, digits);
    if (end == NULL) {
        return;
    }
    while (value >= 10) {
        *--end = pairs[value % 100 * 2 + 1];
        *--end = pairs[value % 100 * 2];
        value /= 100;
    }
    if (digits % 2 != 0) {
        *--end = (char)('0' + value);
    }
}

/* Writes a signed number, which is rare, and needs an array. */
static __attribute__((noinline)) void add_signed(struct agpu_text_writer *writer, int32_t value)
{
    char text[16];

    snprintf(text, sizeof text, "%" PRId32, value);
    add(writer, text);
}

static __attribute__((noinline)) void add_any_float(struct agpu_text_writer *writer, float real)
{
    char text[32];

    snprintf(text, sizeof text, "%g", (double)real);
    add(writer, text);
}

/* Same output as %g, but fast for the usual values: whole numbers and eighths. */
static void add_float(struct agpu_text_writer *writer, float real)
{
    const float size = real < 0 ? -real : real;

    if (size < 1000 && size * 8 == (float)(uint32_t)(size * 8) && (size != 0 || !signbit(real))) {
        const uint32_t eighths = (uint32_t)(size * 8), part = eighths % 8 * 125;

        add(writer, real < 0 ? "-" : "");
        add_decimal(writer, eighths / 8);
        if (part != 0) {
            const char digits[] = {'.', (char)('0' + part / 100),
                                   part % 100 != 0 ? (char)('0' + part / 10 % 10) : '\0',
                                   part % 10 != 0 ? (char)('0' + part % 10) : '\0', '\0'};

            add(writer, digits);
        }
        return;
    }
    add_any_float(writer, real);
}

static bool is_full(const struct agpu_text_writer *writer)
{
    return writer->length + SPARE > sizeof writer->line;
}

static void end_line(struct agpu_text_writer *writer)
{
    if (writer->length != 0) {
        writer->line[writer->length++] = '\n';
        fwrite_unlocked(writer->line, 1, writer->length, writer->out);
        writer->length = 0;
    }
    if (writer->problem_length != 0) {
        fwrite_unlocked(writer->problems, 1, writer->problem_length, writer->out);
        writer->problem_length = 0;
    }
}

static void write_stream(void *ctx, uint64_t offset, uint32_t size, uint32_t version)
{
    struct agpu_text_writer *writer = ctx;

    fprintf(writer->out, "0x%06" PRIx64 "  stream of %u bytes, version %u.%u\n", offset, size, version >> 16,
            version & 0xFFFF);
}

static void write_packet(void *ctx, const struct agpu_decoded *decoded)
{
    struct agpu_text_writer *writer = ctx;

    writer->inside = true;
    ADD(writer, "0x");
    for (unsigned shift = 20; shift > 0 && decoded->offset >> shift == 0; shift -= 4) {
        ADD(writer, "0");
    }
    add_hexadecimal(writer, decoded->offset);
    ADD(writer, "  ");
    if (decoded->packet != NULL) {
        add(writer, decoded->packet->name);
    } else {
        ADD(writer, "opcode 0x");
        add_hexadecimal(writer, decoded->opcode);
        ADD(writer, " of ");
        add_decimal(writer, decoded->size);
        ADD(writer, " bytes: unknown, so devices skip it, which is not an error (commands.md 1)");
    }
}

static void add_flags(struct agpu_text_writer *writer, const char *prefix, uint64_t value)
{
    bool first = true;

    for (uint64_t bit = 1; bit != 0 && bit <= value; bit <<= 1) {
        const char *name = (value & bit) != 0 ? agpu_value_name(prefix, bit) : NULL;

        if (name != NULL) {
            add(writer, first ? "" : "|");
            add(writer, name);
            value &= ~bit;
            first = false;
        }
    }
    if (value != 0 || first) {
        add(writer, first ? "" : "|");
        add(writer, value != 0 ? "0x" : "");
        add_hexadecimal(writer, value);
    }
}

static void add_value(struct agpu_text_writer *writer, const struct agpu_member *member, const uint8_t *bytes)
{
    const uint32_t unit = member->size == 8 || member->size < 4 ? member->size : 4;

    if (member->size == 4 && (member->kind == AGPU_MEMBER_NUMBER || member->kind == AGPU_MEMBER_HANDLES)) {
        uint32_t word; /* the usual size */

        memcpy(&word, bytes, sizeof word);
        add_decimal(writer, word);
        return;
    }

    for (uint32_t at = 0; at < member->size; at += unit) {
        uint64_t value = 0;
        const char *name;
        float real;

        memcpy(&value, bytes + at, unit < 8 ? unit : 8);
        add(writer, at != 0 ? "," : "");
        switch (member->kind) {
        case AGPU_MEMBER_FLOATS:
            memcpy(&real, bytes + at, sizeof real);
            add_float(writer, real);
            break;
        case AGPU_MEMBER_SIGNED:
            add_signed(writer, (int32_t)(uint32_t)value);
            break;
        case AGPU_MEMBER_VALUE:
            name = agpu_value_name(member->prefix, value);
            if (name != NULL) {
                add(writer, name);
            } else {
                add_decimal(writer, value);
            }
            break;
        case AGPU_MEMBER_FLAGS:
            add_flags(writer, member->prefix, value);
            break;
        default:
            add_decimal(writer, value);
            break;
        }
    }
}

static void write_member(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element)
{
    struct agpu_text_writer *writer = ctx;

    if (is_full(writer)) {
        return;
    }
    if (element >= 0) {
        ADD(writer, " [");
        add_decimal(writer, (uint64_t)element);
        ADD(writer, "].");
        add_piece(writer, member->label + 1, member->label_length - 1u);
    } else { /* copying the whole array is faster than counting */
        memcpy(writer->line + writer->length, member->label, sizeof member->label);
        writer->length += member->label_length;
    }
    add_value(writer, member, bytes);
    if (is_full(writer)) {
        ADD(writer, " ... (the line is cut)");
    }
}

static void write_handle(void *ctx, uint32_t word, uint32_t handle, const char *what)
{
    struct agpu_text_writer *writer = ctx;

    if (is_full(writer)) {
        return;
    }
    add(writer, word != 0 ? " (" : "(");
    if (word != 0) {
        add_decimal(writer, handle);
        ADD(writer, ": ");
    }
    add(writer, what);
    ADD(writer, ")");
}

static void write_payload(void *ctx, const uint8_t *bytes, uint64_t size)
{
    struct agpu_text_writer *writer = ctx;
    char text[3 * PAYLOAD_SHOWN];
    size_t shown = 0;

    if (is_full(writer)) {
        return;
    }
    ADD(writer, " payload=");
    add_decimal(writer, size);
    ADD(writer, " byte");
    if (size != 1) {
        ADD(writer, "s");
    }
    for (; shown < size && shown < PAYLOAD_SHOWN; shown++) {
        text[3 * shown] = ' ';
        text[3 * shown + 1] = "0123456789abcdef"[bytes[shown] >> 4];
        text[3 * shown + 2] = "0123456789abcdef"[bytes[shown] & 15];
    }
    if (shown != 0) {
        ADD(writer, ":");
        add_piece(writer, text, 3 * shown);
    }
    if (shown < size) {
        ADD(writer, " ...");
    }
}

/* Writes a problem below the line of its packet. */
static void write_problem(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal)
{
    struct agpu_text_writer *writer = ctx;
    char *place = writer->problems + writer->problem_length;
    const size_t room = sizeof writer->problems - writer->problem_length;
    const int length = snprintf(place, room, "      ! at 0x%" PRIx64 ": %s (%s)%s\n", offset, text, rule,
                                fatal ? "; nothing after it can be read" : "");

    if (length > 0 && (size_t)length < room) {
        writer->problem_length += (size_t)length;
    }
    if (!writer->inside) {
        end_line(writer);
    }
}

static void write_packet_end(void *ctx)
{
    struct agpu_text_writer *writer = ctx;

    writer->inside = false;
    end_line(writer);
}

struct agpu_decode_output agpu_text_writer_output(struct agpu_text_writer *writer, FILE *out)
{
    writer->out = out;
    writer->inside = false;
    writer->length = writer->problem_length = 0;
    return (struct agpu_decode_output){.ctx = writer,
                                       .stream = write_stream,
                                       .packet = write_packet,
                                       .member = write_member,
                                       .handle = write_handle,
                                       .payload = write_payload,
                                       .problem = write_problem,
                                       .packet_end = write_packet_end};
}
