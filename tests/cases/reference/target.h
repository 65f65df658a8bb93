/* target.h: the bound targets, clears and presents. */
#ifndef AGPU_CASES_REFERENCE_TARGET_H
#define AGPU_CASES_REFERENCE_TARGET_H

#include "tests/cases/reference/layout.h"

#define AGPU_REF_TARGETS (AEROGPU_MAX_RENDER_TARGETS + 1u)

/* A subresource that is drawn to or read, in one format. */
struct agpu_ref_target {
    struct agpu_ref_resource *texture;
    struct agpu_ref_level level;
    uint32_t format;
    uint32_t slot; /* AEROGPU_MAX_RENDER_TARGETS: depth */
    bool depth;
};

/* Lists the bound targets, depth last. Returns false when one is unusable. */
bool agpu_ref_targets(struct agpu_ref *ref, struct agpu_ref_target targets[AGPU_REF_TARGETS],
                      unsigned *count);
/* Stores the same bytes, of one state, in some bytes of each texel; bytes NULL: sets the state only. */
void agpu_ref_fill(struct agpu_ref *ref, const struct agpu_ref_target *target, unsigned first, unsigned count,
                   const uint8_t *bytes, enum agpu_ref_byte state);

/* Converts one texel by way of 8-bit channels (device.md 4.8). */
void agpu_ref_convert(uint32_t from, const uint8_t *texel, uint32_t to, uint8_t *out);

#endif
