/* device_output.h: interprets a device program's output: why it did not start or ended, and accesses that no device
 * may make. */
#ifndef AGPU_TESTS_HOST_DEVICE_OUTPUT_H
#define AGPU_TESTS_HOST_DEVICE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns true for a line of the guard process about a crash or hang (tests/device/plugin/guard.h). */
static inline bool agpu_output_is_guard(const char *line, size_t length)
{
    return length > 7 && memcmp(line, "device ", 7) == 0;
}

/* Returns the sentence in a line about DMA that no device may request (tests/device/plugin/refusal.h); NULL: the
 * line is not one. */
static inline const char *agpu_output_absurd(const char *line, size_t length)
{
    const char *device = memmem(line, length, "device ", 7);

    return memmem(line, length, " asked for absurd DMA: ", 23) != NULL ? device : NULL;
}

/* Copies a line, escaped for a terminal: the names in it came from a plug-in. */
static inline void agpu_output_copy(char *words, size_t size, const char *line, size_t length)
{
    size_t i;

    for (i = 0; i < length && i + 1 < size; i++) {
        words[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    words[i] = '\0';
}

/* Returns the reason why the program ended: the guard's last report of a crash or hang; else the first line that is
 * not its log ("[ 12.345] ...", and in the process of a tool "device: ..."); else the first line. Cuts text into
 * lines; "" when it has none. */
static inline const char *agpu_output_reason(char *text)
{
    const char *first = "", *other = "", *guard = "";

    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        const bool log = *line == '[' || strncmp(line, "device: ", 8) == 0;

        first = *first == '\0' ? line : first;
        other = *other == '\0' && !log ? line : other;
        guard = agpu_output_is_guard(line, strlen(line)) ? line : guard;
    }
    return *guard != '\0' ? guard : *other != '\0' ? other : first;
}

#endif
