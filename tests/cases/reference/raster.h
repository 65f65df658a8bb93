/* raster.h: draws a triangle into the bound targets. */
#ifndef AGPU_CASES_REFERENCE_RASTER_H
#define AGPU_CASES_REFERENCE_RASTER_H

#include "tests/cases/reference/shade.h"

/* Vertices in 1/256 texel of the target, y down. */
struct agpu_ref_vertex {
    int64_t x, y;
    float depth, z; /* on the target, and before the viewport */
    float values[4];
    bool outside; /* of the viewport: executors may clip the triangle there */
};

/* State of one draw, the same for all its triangles. */
struct agpu_ref_raster {
    struct agpu_ref *ref;
    const struct agpu_ref_target *colors[AEROGPU_MAX_RENDER_TARGETS], *depth; /* NULL: none */
    int64_t left, top, right, bottom;                                         /* texels that may be written */
    float least_depth, most_depth;                                            /* of the viewport */
    struct agpu_ref_pixel_stage pixel;
    bool doubtful; /* some triangles may be lost */
};

/* Returns twice the signed area: positive for a clockwise triangle. */
int64_t agpu_ref_area(const struct agpu_ref_vertex vertices[3]);
void agpu_ref_triangle(const struct agpu_ref_raster *raster, const struct agpu_ref_vertex vertices[3]);

#endif
