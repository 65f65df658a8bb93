/* packets.h: execution of packets (handlers.def), and what several of them need. */
#ifndef AGPU_CASES_REFERENCE_PACKETS_H
#define AGPU_CASES_REFERENCE_PACKETS_H

#include "tests/cases/reference/state.h"

/* The common layout of packets that set slots of a stage. */
struct agpu_ref_range {
    struct aerogpu_cmd_hdr hdr;
    uint32_t stage, start, count, extended;
} AEROGPU_CMD_PACKED;

/* Each returns the packet's error. */
#define AGPU_REF_PACKET(NAME, type, function)                                                                \
    enum aerogpu_error function(struct agpu_ref *ref, const struct type *cmd);
#include "tests/cases/reference/handlers.def"

#endif
