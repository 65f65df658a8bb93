/* execution.h: the execution of a command list in progress (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_EXECUTION_H
#define AGPU_UMD_DEFERRED_EXECUTION_H

#include "umd-port/deferred/list_body.h"

/* How far an execution has come. */
struct agpu_place {
    uint32_t offset; /* in the list's stream */
    uint32_t fixup;  /* the first at or behind offset */
    uint32_t entry;  /* of the list's sections: the first one of the present section */
};

/* Execution in progress. Room for all packets was reserved before it began, so recording them does not
 * fail. */
struct agpu_execution {
    struct agpu_device *device;
    const struct agpu_list_body *body;
    struct agpu_place at;
    struct agpu_place unsent; /* packets from here on are in the stream that is recorded now */
    uint64_t epoch; /* of the allocation list of that stream: another one means that it was submitted */
    uint32_t arguments[5]; /* of the indirect work that comes next */
};

static inline struct agpu_resource *agpu_referenced_resource(const struct agpu_list_body *body,
                                                             uint32_t reference)
{
    const struct agpu_list_reference *entry = &body->refs[reference - 1];

    return entry->kind == AGPU_SHARED_RESOURCE ? entry->object->object : NULL;
}

#endif
