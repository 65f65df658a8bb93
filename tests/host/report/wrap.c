/* wrap.c: wraps lines for a narrow terminal (wrap.h). */
#include "tests/host/report/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80u
#define COLUMNS_MOST    10000u
#define HANGING         4u /* indentation relative to the start of the line */

struct wrap {
    FILE *out;
    size_t columns;
    size_t length;
    char line[8192];
};

size_t agpu_terminal_columns(FILE *out)
{
    struct winsize window;
    const char *text = getenv("COLUMNS");
    unsigned long columns;

    if (isatty(fileno(out)) != 1) {
        return 0;
    }
    if (ioctl(fileno(out), TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
        return window.ws_col;
    }
    columns = text != NULL ? strtoul(text, NULL, 10) : 0;
    return columns > 0 && columns < COLUMNS_MOST ? columns : COLUMNS_DEFAULT;
}

enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
static size_t colour = COLOUR_AUTO;

bool agpu_color_choose(const char *when)
{
    static const char *const words[] = {"auto", "always", "never"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(when, words[i]) == 0) {
            colour = i;
            return true;
        }
    }
    return false;
}

bool agpu_terminal_has_colour(FILE *out)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    if (colour != COLOUR_AUTO) {
        return colour == COLOUR_ALWAYS;
    }
    return isatty(fileno(out)) == 1 && (none == NULL || *none == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

/* Returns where the part that starts at `from` ends so that it has at most room letters, or one word: the position
 * of a space, or the length of the line. */
static size_t part_end(const struct wrap *wrap, size_t from, size_t room)
{
    size_t word = from, end = 0;

    while (word < wrap->length) {
        size_t next = word + strspn(wrap->line + word, " ");

        next += strcspn(wrap->line + next, " ");
        if (next - from > room && end != 0) {
            return end;
        }
        end = word = next;
    }
    return wrap->length;
}

static void write_line(struct wrap *wrap)
{
    wrap->line[wrap->length] = '\0';
    const size_t begin = strspn(wrap->line, " ");
    const size_t in = begin + HANGING < wrap->columns / 2 ? begin + HANGING : wrap->columns / 2;
    size_t from = 0, room = wrap->columns;

    /* Colours take no room. They are in the first words of a line. */
    for (const char *p = wrap->line; (p = strstr(p, "\x1b[")) != NULL; p++) {
        room += strcspn(p, "m") + 1;
    }

    for (;;) {
        const size_t end = part_end(wrap, from, room);

        fwrite(wrap->line + from, 1, end - from, wrap->out);
        from = end + strspn(wrap->line + end, " ");
        if (from >= wrap->length) {
            break;
        }
        fprintf(wrap->out, "\n%*s", (int)in, "");
        room = wrap->columns - in;
    }
    putc('\n', wrap->out);
    wrap->length = 0;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    struct wrap *wrap = cookie;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n') {
            write_line(wrap);
        } else if (wrap->length + 1 < sizeof wrap->line) {
            wrap->line[wrap->length++] = bytes[i];
        }
    }
    return (ssize_t)size;
}

static int end(void *cookie)
{
    struct wrap *wrap = cookie;

    if (wrap->length != 0) {
        write_line(wrap);
    }
    free(wrap);
    return 0;
}

FILE *agpu_wrap_open(FILE *out, size_t columns)
{
    struct wrap *wrap;
    FILE *wrapped;

    if (columns == 0) {
        return out;
    }
    wrap = calloc(1, sizeof *wrap);
    wrapped =
        wrap != NULL ? fopencookie(wrap, "w", (cookie_io_functions_t){.write = take, .close = end}) : NULL;
    if (wrapped == NULL) {
        free(wrap);
        return NULL;
    }
    wrap->out = out;
    wrap->columns = columns;
    setvbuf(wrapped, NULL, _IONBF, 0); /* keeps its lines in order with direct output to out */
    return wrapped;
}

void agpu_wrap_close(FILE *wrapped, FILE *out)
{
    if (wrapped != NULL && wrapped != out) {
        fclose(wrapped);
    }
}
