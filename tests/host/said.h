/* said.h: what lines of a device program's output say of it: why it did not start or ended, what it must not do. */
#ifndef AGPU_TESTS_HOST_SAID_H
#define AGPU_TESTS_HOST_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* As of its guard on a crash or hang (tests/device/plugin/guard.h). */
static inline bool agpu_said_by_guard(const char *line, size_t length)
{
    return length > 7 && memcmp(line, "device ", 7) == 0;
}

/* The sentence in a line about DMA that no device may ask for (tests/device/plugin/refusal.h); NULL: it is none. */
static inline const char *agpu_said_absurd(const char *line, size_t length)
{
    const char *device = memmem(line, length, "device ", 7);

    return memmem(line, length, " asked for absurd DMA: ", 23) != NULL ? device : NULL;
}

/* Keeps a line fit for a terminal: the names in it came from a plug-in. */
static inline void agpu_said_keep(char *words, size_t size, const char *line, size_t length)
{
    size_t i;

    for (i = 0; i < length && i + 1 < size; i++) {
        words[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    words[i] = '\0';
}

/* What its guard says of a crash or hang, the last such line; else the first that is none of its log ("[ 12.345] ...", and in the
 * process of a tool "device: ..."); else the first. Text is cut into its lines; "" when it has none. */
static inline const char *agpu_said_why(char *text)
{
    const char *first = "", *other = "", *guard = "";

    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        const bool log = *line == '[' || strncmp(line, "device: ", 8) == 0;

        first = *first == '\0' ? line : first;
        other = *other == '\0' && !log ? line : other;
        guard = agpu_said_by_guard(line, strlen(line)) ? line : guard;
    }
    return *guard != '\0' ? guard : *other != '\0' ? other : first;
}

#endif
