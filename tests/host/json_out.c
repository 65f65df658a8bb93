/* json_out.c: writes jansson's output, with additional escapes for terminals and pages. */
#include "tests/host/json_out.h"

#include <stdlib.h>
#include <string.h>

#include "tests/host/report/text.h"

json_t *agpu_json_text(const char *text, size_t length)
{
    json_t *made = json_stringn(text, length);

    if (made == NULL) {
        size_t size;
        char *utf8 = agpu_text_utf8(text, length, &size);

        made = utf8 != NULL ? json_stringn(utf8, size) : NULL;
        free(utf8);
    }
    return made;
}

json_t *agpu_json_string(const char *text)
{
    return text != NULL ? agpu_json_text(text, strlen(text)) : json_null();
}

json_t *agpu_json_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *agpu_json_figure(double value)
{
    const bool whole = value >= -9e15 && value <= 9e15 && value == (double)(int64_t)value;

    return whole ? json_integer((json_int_t)value) : json_real(value);
}

/* jansson writes at most one token at a time; buffering avoids a stdio call for each. */
struct pieces {
    FILE *out; /* receives full buffers; NULL: the buffer is the destination */
    bool page;
    char *bytes;
    size_t used, room;
};

static bool flush_pieces(struct pieces *p)
{
    const size_t used = p->used;

    p->used = 0;
    return p->out != NULL && fwrite(p->bytes, 1, used, p->out) == used;
}

static bool put_piece(struct pieces *p, const char *text, size_t size)
{
    if (size > p->room - p->used && !flush_pieces(p)) {
        return false;
    }
    if (size > p->room) {
        return fwrite(text, 1, size, p->out) == size;
    }
    memcpy(p->bytes + p->used, text, size);
    p->used += size;
    return true;
}

/* jansson does not escape DEL. None of these occur outside of strings. */
static bool is_escaped(const struct pieces *p, char c)
{
    return c == 0x7f || (p->page && (c == '<' || c == '>' || c == '&'));
}

static int write_piece(const char *text, size_t size, void *ctx)
{
    size_t done = 0;

    for (size_t i = 0; i < size; i++) {
        char escape[8];

        if (!is_escaped(ctx, text[i])) {
            continue;
        }
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)text[i]);
        if (!put_piece(ctx, text + done, i - done) || !put_piece(ctx, escape, 6)) {
            return -1;
        }
        done = i + 1;
    }
    return put_piece(ctx, text + done, size - done) ? 0 : -1;
}

static bool write_pieces(const json_t *value, FILE *out, size_t flags, bool page)
{
    char bytes[4096];
    struct pieces pieces = {.out = out, .page = page, .bytes = bytes, .room = sizeof bytes};

    return json_dump_callback(value, write_piece, &pieces, flags | JSON_ENSURE_ASCII) == 0 &&
           flush_pieces(&pieces);
}

bool agpu_json_out(const json_t *value, FILE *out, size_t flags)
{
    return write_pieces(value, out, flags, false);
}

bool agpu_json_page(const json_t *value, FILE *out, size_t flags)
{
    return write_pieces(value, out, flags, true);
}

bool agpu_json_line(json_t *value, FILE *out)
{
    const bool good = value != NULL && agpu_json_out(value, out, JSON_COMPACT);

    json_decref(value);
    return putc('\n', out) != EOF && good;
}

size_t agpu_json_put(const json_t *value, char *to, size_t room)
{
    struct pieces pieces = {.bytes = to, .room = room};
    const bool good = json_dump_callback(value, write_piece, &pieces, JSON_COMPACT | JSON_ENSURE_ASCII) == 0;

    return good ? pieces.used : 0;
}
