/* trace.c: a minimal formatter for trace lines; the driver has no C library (umd.md 18). */
#include "umd-port/base/trace.h"

#include <stdarg.h>
#include <string.h>

#define PREFIX_ROOM 80u

struct trace_text {
    char text[PREFIX_ROOM + AGPU_TRACE_TEXT + 1];
    uint32_t length, room;
};

static void put_char(struct trace_text *line, char c)
{
    if (line->length < line->room) {
        line->text[line->length++] = c;
    }
}

static void put_text(struct trace_text *line, const char *text)
{
    while (*text) {
        put_char(line, *text++);
    }
}

/* Appends a number with at least `digits` digits. */
static void put_number(struct trace_text *line, uint64_t value, uint32_t base, uint32_t digits)
{
    char reversed[24];
    uint32_t count = 0;

    do {
        reversed[count++] = "0123456789ABCDEF"[value % base];
        value /= base;
    } while (value || count < digits);
    while (count) {
        put_char(line, reversed[--count]);
    }
}

static void put_format(struct trace_text *line, const char *format, va_list args)
{
    line->room = line->length + AGPU_TRACE_TEXT;
    for (; *format; format++) {
        if (*format != '%') {
            put_char(line, *format);
            continue;
        }
        switch (*++format) {
        case 'u':
            put_number(line, va_arg(args, unsigned), 10, 1);
            break;
        case 'd': {
            int value = va_arg(args, int);

            if (value < 0) {
                put_char(line, '-');
            }
            put_number(line, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
            break;
        }
        case 'X':
            put_number(line, va_arg(args, unsigned), 16, 8);
            break;
        case 's': {
            const char *text = va_arg(args, const char *);

            put_text(line, text != NULL ? text : "(null)");
            break;
        }
        default: /* '%' itself; also keeps a format without its letter from running past the end */
            put_char(line, '%');
            if (!*format) {
                format--;
            }
            break;
        }
    }
    line->text[line->length] = 0;
}

static void start_call_log(struct trace_text *line)
{
    line->length = 0;
    line->room = PREFIX_ROOM;
    put_text(line, "AEROGPU_D3D11DDI: ");
}

static void start_trace10(struct trace_text *line, const struct agpu_umd_environment *env)
{
    static uint32_t sequence; /* of the process, because threads and devices share one log */

    line->length = 0;
    line->room = PREFIX_ROOM;
    put_text(line, "[AeroGPU:D3D10 t=");
    put_number(line, env->now_ms != NULL ? env->now_ms(env->ctx) : 0, 10, 1);
    put_text(line, " tid=");
    put_number(line, env->thread_id != NULL ? env->thread_id(env->ctx) : 0, 10, 1);
    put_text(line, " #");
    put_number(line, __atomic_fetch_add(&sequence, 1, __ATOMIC_RELAXED), 10, 1);
    put_text(line, "] ");
}

void agpu_trace_line(const struct agpu_umd_environment *env, const char *format, ...)
{
    if (env->log == NULL) {
        return;
    }
    struct trace_text line;
    start_call_log(&line);
    va_list args;
    va_start(args, format);
    put_format(&line, format, args);
    va_end(args);
    env->log(env->ctx, line.text);
}

void agpu_trace_call(const struct agpu_context *context, const char *format, ...)
{
    const struct agpu_umd_environment *env = context->device->env;

    if (env->log == NULL) {
        return;
    }
    struct trace_text line;
    if (context->cookie == (uint32_t)AGPU_COOKIE_D3D10 || context->cookie == (uint32_t)AGPU_COOKIE_D3D10_1) {
        start_trace10(&line, env);
    } else {
        start_call_log(&line);
    }
    va_list args;
    va_start(args, format);
    put_format(&line, format, args);
    va_end(args);
    env->log(env->ctx, line.text);
}
