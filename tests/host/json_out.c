/* json_out.c: DEL as an escape. */
#include "tests/host/json_out.h"

#include <string.h>

/* jansson gives a token or less at a time, stdio takes each at a price. */
struct pieces {
    FILE *out;
    size_t used;
    char bytes[4096];
};

static bool flush_pieces(struct pieces *p)
{
    const size_t used = p->used;

    p->used = 0;
    return fwrite(p->bytes, 1, used, p->out) == used;
}

static bool put_piece(struct pieces *p, const char *text, size_t size)
{
    if (size > sizeof p->bytes - p->used && !flush_pieces(p)) {
        return false;
    }
    if (size > sizeof p->bytes) {
        return fwrite(text, 1, size, p->out) == size;
    }
    memcpy(p->bytes + p->used, text, size);
    p->used += size;
    return true;
}

/* Outside of strings there is none. */
static int write_piece(const char *text, size_t size, void *ctx)
{
    static const char escape[] = "\\u007f";

    while (size > 0) {
        const char *del = memchr(text, 0x7f, size);
        const size_t plain = del != NULL ? (size_t)(del - text) : size;

        if (!put_piece(ctx, text, plain) || (del != NULL && !put_piece(ctx, escape, sizeof escape - 1))) {
            return -1;
        }
        text += plain + (del != NULL);
        size -= plain + (del != NULL);
    }
    return 0;
}

bool agpu_json_out(const json_t *value, FILE *out, size_t flags)
{
    struct pieces pieces;

    pieces.out = out;
    pieces.used = 0;
    return json_dump_callback(value, write_piece, &pieces, flags | JSON_ENSURE_ASCII) == 0 &&
           flush_pieces(&pieces);
}
