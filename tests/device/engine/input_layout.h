/* input_layout.h: input layouts: ILAY elements with resolved offsets, or a D3D9 declaration, which no draw can
 * use (commands.md 7, 15). */
#ifndef VGPU_ENGINE_INPUT_LAYOUT_H
#define VGPU_ENGINE_INPUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_input.h"

struct vgpu_exec;
struct vgpu_archive;

#define VGPU_MAX_INPUT_ELEMENTS 32u

struct vgpu_input_layout {
    bool usable; /* false: a D3D9 declaration or an unlisted format; draws fail */
    uint32_t count;
    struct aerogpu_input_layout_element_dxgi
        elements[VGPU_MAX_INPUT_ELEMENTS]; /* append resolved, step >= 1 */
};

/* Frees every layout (reset). */
void vgpu_input_layout_free_all(struct vgpu_exec *exec);

/* Visits every layout for save and restore. */
void vgpu_input_layout_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive);

#endif
