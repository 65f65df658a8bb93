/* printable.h: words of a plug-in, fit for a terminal. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PRINTABLE_H
#define VGPU_TESTS_DEVICE_PLUGIN_PRINTABLE_H

#include <stdio.h>

/* Instead of what is no printable ASCII character: an escape sequence could change what others have said. */
static inline char vgpu_printable(char c)
{
    return c >= ' ' && c <= '~' ? c : '?';
}

static inline void vgpu_make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        *text = vgpu_printable(*text);
    }
}

/* A line of a device's log, as the port gives it, in one piece: threads of the device log, too. */
static inline void vgpu_print_log(const char *line)
{
    fprintf(stderr, "device: %s\n", line);
}

#endif
