/* traced.h: calls on a device over the fake that must leave exactly one trace line (umd.md 18). */
#ifndef AGPU_TESTS_UNIT_UMD_TRACED_H
#define AGPU_TESTS_UNIT_UMD_TRACED_H

#include "tests/unit/umd/world.h"

/* Checks that there is one more line than before, and that it starts with this text. */
static inline void traced_one_line(const struct fake *fake, uint32_t before, const char *begins)
{
    if (fake->log_lines != before + 1 || strncmp(fake->log, begins, strlen(begins)) != 0) {
        fail_msg("expected one line that begins with '%s', found %u, the last: '%s'", begins,
                 fake->log_lines - before, fake->log);
    }
}

/* The call leaves one line that starts with text after the prefix. Its result does not matter. */
#define TRACED(fake, text, call)                                                                             \
    do {                                                                                                     \
        uint32_t traced_before = (fake)->log_lines;                                                          \
        call;                                                                                                \
        traced_one_line((fake), traced_before, "AEROGPU_D3D11DDI: " text);                                   \
    } while (0)

#endif
