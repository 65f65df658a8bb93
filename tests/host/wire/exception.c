/* exception.c: recognises dumps of processor exceptions. */
#include "tests/host/wire/exception.h"

#include <stdio.h>
#include <string.h>

void agpu_exception_record(struct agpu_exception *e, const struct agpu_parsed_record *record, uint64_t now_us)
{
    const char *text = agpu_record_text(record, AGPU_KEY(LOG, text), "");

    if (e->text[0] == '\0' && agpu_record_field(record, AGPU_KEY(LOG, vector)) != NULL &&
        strncmp(text, "exception", 9) == 0) {
        snprintf(e->text, sizeof e->text, "CPU %.100s", text);
        snprintf(e->place, sizeof e->place, "; rip %.24s, offset %.24s",
                 agpu_record_text(record, AGPU_KEY(LOG, rip), "?"),
                 agpu_record_text(record, AGPU_KEY(LOG, offset), "?"));
        e->seen_us = now_us;
    }
}

void agpu_exception_line(struct agpu_exception *e, const char *line, size_t length, uint64_t now_us)
{
    static const char mark[] = " Exception Type - ";
    const char *found = memmem(line, length, mark, sizeof mark - 1);

    if (found != NULL && e->text[0] == '\0') {
        size_t from = (size_t)(found - line);

        while (from > 0 && line[from - 1] != '!') {
            from--;
        }
        from += line[from] == ' ';
        const char *stop = memmem(line + from, length - from, " !!!!", 5);
        size_t size = stop != NULL ? (size_t)(stop - line) - from : length - from;
        snprintf(e->text, sizeof e->text, "CPU exception: %.*s", (int)(size < 120 ? size : 120), line + from);
        e->seen_us = now_us;
    }
    if (e->text[0] != '\0' && e->place[0] == '\0' && (found = memmem(line, length, "RIP ", 4)) != NULL) {
        size_t left = length - (size_t)(found - line);
        const char *comma = memchr(found, ',', left);

        left = comma != NULL ? (size_t)(comma - found) : left;
        snprintf(e->place, sizeof e->place, "; %.*s", (int)(left < 60 ? left : 60), found);
    }
}
