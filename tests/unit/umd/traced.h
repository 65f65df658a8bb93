/* traced.h: calls on a fake-backed device that must leave exactly one trace line (umd.md 18). */
#ifndef AGPU_TESTS_UNIT_UMD_TRACED_H
#define AGPU_TESTS_UNIT_UMD_TRACED_H

#include "tests/unit/umd/world.h"

/* One line since there were before, and it begins so. */
static inline void traced_one_line(const struct fake *fake, uint32_t before, const char *begins)
{
    if (fake->log_lines != before + 1 || strncmp(fake->log, begins, strlen(begins)) != 0) {
        fail_msg("expected one line that begins with '%s', found %u, the last: '%s'", begins,
                 fake->log_lines - before, fake->log);
    }
}

/* The call leaves one line behind the prefix that begins with text; its result is not looked at. */
#define TRACED(fake, text, call)                                                                             \
    do {                                                                                                     \
        uint32_t traced_before = (fake)->log_lines;                                                          \
        call;                                                                                                \
        traced_one_line((fake), traced_before, "AEROGPU_D3D11DDI: " text);                                   \
    } while (0)

#endif
