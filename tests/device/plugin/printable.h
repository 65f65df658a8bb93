/* printable.h: makes text of a plug-in safe for a terminal. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PRINTABLE_H
#define VGPU_TESTS_DEVICE_PLUGIN_PRINTABLE_H

#include <stdio.h>

/* Replaces every character that is not printable ASCII: an escape sequence could change other output. */
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

/* Prints a line of a device's log in one call, because threads of the device log too. */
static inline void vgpu_print_log(const char *line)
{
    fprintf(stderr, "device: %s\n", line);
}

#endif
