/* check.h: checks an agpu.cfg with the reader that the image has, and with the catalogue. */
#ifndef AGPU_HOST_CFG_CHECK_H
#define AGPU_HOST_CFG_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/host/list/cases.h"

struct agpu_cfg_check {
    const char *text;
    size_t size;
    size_t spare;             /* bytes that are still to be added */
    bool keyed;               /* a key is added, too */
    enum agpu_listed_abi abi; /* of the device that the run is for */
    /* Takes a line that is wrong, without newline, its number, and what was expected with the nearest valid word. */
    void (*wrong)(void *ctx, unsigned number, const char *line, const char *reason);
    void *ctx;
};

/* Returns how many lines the image would not understand or could not obey: a filter that no case matches, control= without
 * key=. */
unsigned agpu_cfg_check(const struct agpu_cfg_check *check);

#endif
