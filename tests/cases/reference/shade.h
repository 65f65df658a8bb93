/* shade.h: results of the listed shaders (types.h, tests/shaders/hlsl). */
#ifndef AGPU_CASES_REFERENCE_SHADE_H
#define AGPU_CASES_REFERENCE_SHADE_H

#include "tests/cases/reference/target.h"

/* An element of the input layout; NULL: none. offset: aligned_byte_offset, resolved. */
struct agpu_ref_input {
    const struct aerogpu_input_layout_element_dxgi *element;
    uint32_t offset;
};

struct agpu_ref_vertex_stage {
    enum agpu_ref_program program;
    struct agpu_ref_input position, second;
    uint32_t first_instance;
    bool
        plain; /* the draw starts at vertex 0 and instance 0, so that system values do not depend on the start */
};

/* A texture with its sampler. texture NULL: reads 0. */
struct agpu_ref_image {
    struct agpu_ref_target at;
    const struct agpu_ref_object *sampler; /* NULL: nearest, clamp */
};

struct agpu_ref_pixel_stage {
    enum agpu_ref_program program; /* AGPU_REF_UNKNOWN: no pixel shader */
    float constant[4];
    struct agpu_ref_image images[2];
};

/* Inputs of one pixel. tolerance: of values, 0: exact; negative: unknown. */
struct agpu_ref_fragment {
    uint32_t x, y;
    float values[4];
    double tolerance;
};

/* Results of the pixel shader. */
struct agpu_ref_shaded {
    bool known;           /* rgba is, within the tolerance */
    bool discarded, kept; /* neither: unknown */
    bool has_depth;
    float rgba[AEROGPU_MAX_RENDER_TARGETS][4], depth;
    unsigned outputs;
    double tolerance;
};

/* Reads an element of a buffer: 0 in an empty slot and beyond the end (commands.md 9, 10, 15). limit: of the view, 0:
 * none. Returns false when the bytes are not exact, or there is no such buffer. */
bool agpu_ref_element(struct agpu_ref *ref, uint32_t buffer, struct agpu_ref_part part, uint64_t at,
                      uint32_t size, void *out);
/* Reads a register of a constant buffer. */
bool agpu_ref_constant(struct agpu_ref *ref, uint32_t stage, uint32_t slot, uint32_t index, void *out);

/* Both find the inputs of the bound shader. They return false when it is not listed, or its inputs are unusual. */
bool agpu_ref_vertex_stage(struct agpu_ref *ref, struct agpu_ref_vertex_stage *stage);
bool agpu_ref_pixel_stage(struct agpu_ref *ref, enum agpu_ref_program vertex,
                          struct agpu_ref_pixel_stage *stage);
/* Runs the vertex shader. index: of the vertex in its buffers. Returns false when a result is unknown. */
bool agpu_ref_run_vertex(struct agpu_ref *ref, const struct agpu_ref_vertex_stage *stage, uint32_t index,
                         uint32_t instance, float position[4], float values[4]);
void agpu_ref_run_pixel(struct agpu_ref *ref, const struct agpu_ref_pixel_stage *stage,
                        const struct agpu_ref_fragment *in, struct agpu_ref_shaded *out);

#endif
