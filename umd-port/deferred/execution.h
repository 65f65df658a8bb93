/* execution.h: state of a command list's execution (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_EXECUTION_H
#define AGPU_UMD_DEFERRED_EXECUTION_H

#include "umd-port/deferred/list_body.h"

/* Position in an execution. */
struct agpu_place {
    uint32_t offset; /* in the list's stream */
    uint32_t fixup;  /* first fixup at or after offset */
    uint32_t entry;  /* first entry of the present section in the list's sections */
};

/* Execution in progress. Room for all packets was reserved at its start, so recording them does not fail. */
struct agpu_execution {
    struct agpu_device *device;
    const struct agpu_list_body *body;
    struct agpu_place at;
    struct agpu_place unsent; /* packets from here on are in the stream that is now being recorded */
    uint64_t epoch;        /* of that stream's allocation list; a different one means that it was submitted */
    uint32_t arguments[5]; /* of the next indirect work */
};

static inline struct agpu_resource *agpu_referenced_resource(const struct agpu_list_body *body,
                                                             uint32_t reference)
{
    const struct agpu_list_reference *entry = &body->refs[reference - 1];

    return entry->kind == AGPU_SHARED_RESOURCE ? entry->object->object : NULL;
}

#endif
