/* shared_surface.h: share tokens: names by which a resource is imported under further handles (commands.md
 * 12). */
#ifndef AGPU_TESTS_DEVICE_SHARED_SURFACE_H
#define AGPU_TESTS_DEVICE_SHARED_SURFACE_H

#include "tests/device/resource.h"

/* A token that was ever exported; it stays, retired, until reset. */
struct agpu_token {
    struct agpu_resource *resource; /* NULL = retired */
    struct agpu_token *next;        /* of the same resource */
    struct agpu_token **link;       /* what points here */
};

/* The resource dies: its tokens are retired. */
void agpu_token_retire_all(struct agpu_resource *resource);

/* Frees every token: reset. */
void agpu_token_free_all(struct agpu_exec *exec);

#endif
