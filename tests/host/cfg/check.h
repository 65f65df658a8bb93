/* check.h: checks an agpu.cfg with the image's own reader, and against the catalogue. */
#ifndef AGPU_HOST_CFG_CHECK_H
#define AGPU_HOST_CFG_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/host/list/cases.h"

struct agpu_cfg_check {
    const char *text;
    size_t size;
    size_t spare;             /* number of bytes that will be added later */
    bool keyed;               /* a key will be added, too */
    enum agpu_listed_abi abi; /* generation of the device that the run is for */
    /* Reports a wrong line, without newline, its number, and the reason: what was expected, and the nearest valid
     * word. */
    void (*wrong)(void *ctx, unsigned number, const char *line, const char *reason);
    void *ctx;
};

/* Returns how many lines the image would not understand or could not satisfy: a filter that matches no case,
 * control= without key=. */
unsigned agpu_cfg_check(const struct agpu_cfg_check *check);

#endif
