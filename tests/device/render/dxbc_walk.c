/* dxbc_walk.c: helpers for every part of the walk through a DXBC program. */
#include "tests/device/render/dxbc_walk.h"

bool vgpu_dxbc_in_signature(const struct vgpu_dxbc_signature *signature, uint32_t reg, uint32_t mask)
{
    uint32_t covered = 0;

    for (uint32_t i = 0; i < signature->count; i++) {
        if (signature->elements[i].reg == reg) {
            covered |= signature->elements[i].mask;
        }
    }
    return (mask & ~covered) == 0;
}

uint32_t vgpu_dxbc_input_vertices(const struct vgpu_dxbc *dxbc)
{
    static const uint8_t of_primitive[] = {[1] = 1, [2] = 2, [3] = 3, [6] = 4, [7] = 6};

    if (dxbc->type == VGPU_DXBC_GEOMETRY) {
        return dxbc->input_primitive < sizeof of_primitive ? of_primitive[dxbc->input_primitive] : 0;
    }
    return dxbc->input_control_points;
}

uint32_t vgpu_dxbc_word(struct vgpu_dxbc_walk *walk, bool *ok)
{
    if (walk->at >= walk->end) {
        *ok = false;
        return 0;
    }
    return walk->tokens[walk->at++];
}
