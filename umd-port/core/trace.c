/* trace.c: the smallest formatter that trace lines need; the driver has no C library (umd.md 18). */
#include "umd-port/core/trace.h"

#include <stdarg.h>
#include <string.h>

struct line {
    char text[256];
    uint32_t length;
};

static void put(struct line *line, char c)
{
    if (line->length < sizeof(line->text) - 1)
        line->text[line->length++] = c;
}

static void put_text(struct line *line, const char *text)
{
    while (*text)
        put(line, *text++);
}

/* At least digits digits. */
static void put_number(struct line *line, uint64_t value, uint32_t base, uint32_t digits)
{
    char reversed[24];
    uint32_t count = 0;
    do {
        reversed[count++] = "0123456789ABCDEF"[value % base];
        value /= base;
    } while (value || count < digits);
    while (count)
        put(line, reversed[--count]);
}

void agpu_trace_line(const struct agpu_umd_environment *env, const char *format, ...)
{
    if (!env->log)
        return;
    struct line line = {.length = 0};
    put_text(&line, "AEROGPU_D3D11DDI: ");
    va_list args;
    va_start(args, format);
    for (; *format; format++) {
        if (*format != '%') {
            put(&line, *format);
            continue;
        }
        switch (*++format) {
        case 'u':
            put_number(&line, va_arg(args, unsigned), 10, 1);
            break;
        case 'd': {
            int value = va_arg(args, int);
            if (value < 0)
                put(&line, '-');
            put_number(&line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
            break;
        }
        case 'X':
            put_number(&line, va_arg(args, unsigned), 16, 8);
            break;
        case 's':
            put_text(&line, va_arg(args, const char *));
            break;
        default: /* '%' itself; also what keeps a format without its letter from running past the end */
            put(&line, '%');
            if (!*format)
                format--;
            break;
        }
    }
    va_end(args);
    line.text[line.length] = 0;
    env->log(env->ctx, line.text);
}
