/* explain.h: explains an address in a capture: which bytes of which resource, ring or submission it is. */
#ifndef AGPU_HOST_REPLAY_EXPLAIN_H
#define AGPU_HOST_REPLAY_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/capture/reader.h"

/* Reads the capture from its start up to record `until`, and describes in text what [address, last] was then. Example:
 * "bytes 252 to 255 of allocation 3, which backs buffer 7 of 256 bytes (submission 12, fence 9)". Unknown: "". */
void agpu_explain_address(struct agpu_capture_reader *reader, uint64_t until, uint64_t address, uint64_t last,
                          char *text, size_t size);

#endif
