/* json_out.c: DEL as an escape. */
#include "tests/host/json_out.h"

#include <string.h>

/* Outside of strings there is none. */
static int write_piece(const char *text, size_t size, void *out)
{
    while (size > 0) {
        const char *del = memchr(text, 0x7f, size);
        const size_t plain = del != NULL ? (size_t)(del - text) : size;

        if (fwrite(text, 1, plain, out) != plain || (del != NULL && fputs("\\u007f", out) == EOF)) {
            return -1;
        }
        text += plain + (del != NULL);
        size -= plain + (del != NULL);
    }
    return 0;
}

bool agpu_json_out(const json_t *value, FILE *out, size_t flags)
{
    return json_dump_callback(value, write_piece, out, flags | JSON_ENSURE_ASCII) == 0;
}
