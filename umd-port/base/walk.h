/* walk.h: steps through a finished command stream packet by packet and checks its framing (commands.md 1). Used to cut
 * a stream into DMA buffers, and by tests on every captured stream. */
#ifndef AGPU_UMD_BASE_WALK_H
#define AGPU_UMD_BASE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"

struct agpu_cmd_walk {
    const uint8_t *next;
    const uint8_t *end;
};

/* Starts at the first packet. False: too short, wrong magic, ABI or flags, or size_bytes outside 24..size. */
bool agpu_cmd_walk_begin(struct agpu_cmd_walk *walk, const void *stream, size_t size);
/* Returns the next packet, or NULL at the end. *broken is set when the rest is not a whole packet. */
const struct aerogpu_cmd_hdr *agpu_cmd_walk_next(struct agpu_cmd_walk *walk, bool *broken);

#endif
