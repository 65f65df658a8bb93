/* bound.h: the bindings of a device after a stream, derived from the packets alone. */
#ifndef AGPU_TESTS_UNIT_UMD_BOUND_H
#define AGPU_TESTS_UNIT_UMD_BOUND_H

#include <stddef.h>
#include <stdint.h>

#include "umd-port/base/context.h"

struct bound_range {
    uint32_t buffer, offset, size;
};

struct bound_stage {
    uint32_t shader;
    uint32_t textures[AGPU_DDI_SHADER_RESOURCE_SLOTS];
    struct bound_range buffers[AGPU_DDI_SHADER_RESOURCE_SLOTS];
    struct bound_range constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];
};

/* Protocol handles. All zero is a device after its reset, except for the topology. */
struct bound_state {
    struct bound_stage stages[AGPU_STAGE_COUNT];
    struct bound_range uavs[AGPU_DDI_UAV_SLOTS];
    struct bound_range vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS]; /* size is the stride */
    struct bound_range index;                                  /* size is the format */
    uint32_t layout, topology;
    uint32_t color_count, colors[AGPU_DDI_RENDER_TARGET_SLOTS], depth;
};

/* Applies a finalized stream with its header. Fails the test if a packet names a slot or stage that does not exist. */
void bound_follow(struct bound_state *state, const void *stream, size_t bytes);

#endif
