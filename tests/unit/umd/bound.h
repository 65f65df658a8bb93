/* bound.h: what a device has bound behind a stream, told from its packets alone. */
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

/* Protocol handles; all zero is a device behind its reset, but for the topology. */
struct bound_state {
    struct bound_stage stages[AGPU_STAGE_COUNT];
    struct bound_range uavs[AGPU_DDI_UAV_SLOTS];
    struct bound_range vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS]; /* size: stride */
    struct bound_range index;                                  /* size: format */
    uint32_t layout, topology;
    uint32_t color_count, colors[AGPU_DDI_RENDER_TARGET_SLOTS], depth;
};

/* The stream with its header, finalized. Fails the test when a packet names a slot or stage that there is not. */
void bound_follow(struct bound_state *state, const void *stream, size_t bytes);

#endif
