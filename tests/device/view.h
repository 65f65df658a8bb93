/* view.h: texture views: part of a texture under a handle of its own (commands.md 6.1). */
#ifndef AGPU_TESTS_DEVICE_VIEW_H
#define AGPU_TESTS_DEVICE_VIEW_H

#include <stdint.h>

#include "tests/device/resource.h"

struct agpu_view {
    struct agpu_object object;
    struct agpu_resource *resource; /* NULL once the texture is destroyed: any use is an error */
    struct agpu_view *next;         /* of the same resource */
    struct agpu_view **link;        /* what points here */
    uint32_t format;                /* AEROGPU_FORMAT_*, of the family of the texture's */
    uint32_t base_mip;
    uint32_t mips;
    uint32_t base_layer;
    uint32_t layers;
};

/* The texture dies: its views look at nothing. */
void agpu_view_detach_all(struct agpu_resource *resource);

/* Frees a view that is no longer in the handle map. */
void agpu_view_free(struct agpu_exec *exec, struct agpu_view *view);

#endif
