/* raster.h: draws a triangle into the bound targets. */
#ifndef AGPU_CASES_REFERENCE_RASTER_H
#define AGPU_CASES_REFERENCE_RASTER_H

#include "tests/cases/reference/target.h"

/* Vertices in 1/256 texel of the target, y down. */
struct agpu_ref_vertex {
    int64_t x, y;
    float depth;
    uint32_t rgba_f32[4];
};

/* State of one draw, the same for all its triangles. */
struct agpu_ref_raster {
    struct agpu_ref *ref;
    const struct agpu_ref_target *color, *depth; /* NULL: none */
    int64_t left, top, right, bottom;            /* texels that may be written */
    enum agpu_ref_program pixel;                 /* AGPU_REF_UNKNOWN: no pixel shader */
    const uint8_t *constant;                     /* of AGPU_REF_PS_CONSTANT: 16 bytes */
    struct agpu_ref_target image;                /* of AGPU_REF_PS_LOAD; texture NULL: none */
};

void agpu_ref_triangle(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3]);

#endif
