/* shared_surface.h: packets of shared surfaces, and a small shared texture whose contents are checked under any of
 * its names. */
#ifndef AGPU_CASES_RIG_SHARED_SURFACE_H
#define AGPU_CASES_RIG_SHARED_SURFACE_H

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/rig.h"

#define AGPU_SHARED_EDGE 16u /* texels, R8G8B8A8 */
#define AGPU_TOKEN       UINT64_C(0x1122334455667788)

void agpu_put_export(struct agpu_rig *r, uint32_t handle, uint64_t token);
void agpu_put_import(struct agpu_rig *r, uint32_t handle, uint64_t token);
void agpu_put_release(struct agpu_rig *r, uint64_t token);

/* Creates texture 1 and exports it as AGPU_TOKEN. */
bool agpu_shared_begin(struct agpu_test *t);
/* Uploads texels that depend on seed. */
void agpu_put_shared_pattern(struct agpu_test *t, uint32_t handle, uint32_t seed);
/* Run the stream; then check that the texture holds the pattern of a seed, or nothing. */
bool agpu_shared_holds(struct agpu_test *t, uint32_t handle, uint32_t seed);
bool agpu_shared_is_zero(struct agpu_test *t, uint32_t handle);

#endif
