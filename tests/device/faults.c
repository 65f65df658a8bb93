/* faults.c: names of the deliberate faults. */
#include "tests/device/faults.h"

#include <string.h>

static const char *const names[VGPU_FAULT_COUNT] = {
    [VGPU_FAULT_NONE] = "",
    [VGPU_FAULT_FENCE_EARLY] = "fence_early",
    [VGPU_FAULT_FENCE_LOST] = "fence_lost",
    [VGPU_FAULT_NO_FENCE_PAGE] = "no_fence_page",
    [VGPU_FAULT_IRQ_NOT_MASKED] = "irq_not_masked",
    [VGPU_FAULT_IRQ_ACK_ALL] = "irq_ack_all",
    [VGPU_FAULT_NO_IRQ_IGNORED] = "no_irq_ignored",
    [VGPU_FAULT_COPY_DROPS_TAIL] = "copy_drops_tail",
    [VGPU_FAULT_COPY_TEXTURE_ROW] = "copy_texture_row",
    [VGPU_FAULT_WRITEBACK_LOST] = "writeback_lost",
    [VGPU_FAULT_WRITEBACK_TO_READONLY] = "writeback_to_readonly",
    [VGPU_FAULT_DIRTY_IGNORED] = "dirty_ignored",
    [VGPU_FAULT_UPLOAD_SHIFTED] = "upload_shifted",
    [VGPU_FAULT_CREATE_NOT_ZEROED] = "create_not_zeroed",
    [VGPU_FAULT_DOORBELL_LOST] = "doorbell_lost",
    [VGPU_FAULT_ERROR_COUNT_STUCK] = "error_count_stuck",
    [VGPU_FAULT_ERROR_STOPS_FENCE] = "error_stops_fence",
    [VGPU_FAULT_HEAD_STUCK] = "head_stuck",
    [VGPU_FAULT_RESET_KEEPS_FENCE] = "reset_keeps_fence",
    [VGPU_FAULT_RESET_KEEPS_RESOURCES] = "reset_keeps_resources",
    [VGPU_FAULT_VBLANK_STUCK] = "vblank_stuck",
    [VGPU_FAULT_VSYNC_IMMEDIATE] = "vsync_immediate",
    [VGPU_FAULT_FB_GPA_NOT_STAGED] = "fb_gpa_not_staged",
    [VGPU_FAULT_UNKNOWN_OPCODE] = "unknown_opcode",
    [VGPU_FAULT_DUPLICATE_ALLOC] = "duplicate_alloc",
    [VGPU_FAULT_CLEAR_SWAPS_RB] = "clear_swaps_rb",
    [VGPU_FAULT_TOKEN_REUSE] = "token_reuse",
};

bool vgpu_fault_find(const char *name, enum vgpu_fault *out)
{
    if (name == NULL) {
        *out = VGPU_FAULT_NONE;
        return true;
    }
    for (size_t i = 0; i < VGPU_FAULT_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum vgpu_fault)i;
            return true;
        }
    }
    return false;
}

const char *vgpu_fault_name(size_t index)
{
    return index > 0 && index < VGPU_FAULT_COUNT ? names[index] : NULL;
}
