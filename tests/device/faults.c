/* faults.c: names of the deliberate faults. */
#include "tests/device/faults.h"

#include <string.h>

static const char *const names[AGPU_FAULT_COUNT] = {
    [AGPU_FAULT_NONE] = "",
    [AGPU_FAULT_FENCE_EARLY] = "fence_early",
    [AGPU_FAULT_FENCE_LOST] = "fence_lost",
    [AGPU_FAULT_NO_FENCE_PAGE] = "no_fence_page",
    [AGPU_FAULT_IRQ_NOT_MASKED] = "irq_not_masked",
    [AGPU_FAULT_IRQ_ACK_ALL] = "irq_ack_all",
    [AGPU_FAULT_NO_IRQ_IGNORED] = "no_irq_ignored",
    [AGPU_FAULT_COPY_DROPS_TAIL] = "copy_drops_tail",
    [AGPU_FAULT_COPY_TEXTURE_ROW] = "copy_texture_row",
    [AGPU_FAULT_WRITEBACK_LOST] = "writeback_lost",
    [AGPU_FAULT_WRITEBACK_TO_READONLY] = "writeback_to_readonly",
    [AGPU_FAULT_DIRTY_IGNORED] = "dirty_ignored",
    [AGPU_FAULT_UPLOAD_SHIFTED] = "upload_shifted",
    [AGPU_FAULT_CREATE_NOT_ZEROED] = "create_not_zeroed",
    [AGPU_FAULT_DOORBELL_LOST] = "doorbell_lost",
    [AGPU_FAULT_ERROR_COUNT_STUCK] = "error_count_stuck",
    [AGPU_FAULT_ERROR_STOPS_FENCE] = "error_stops_fence",
    [AGPU_FAULT_HEAD_STUCK] = "head_stuck",
    [AGPU_FAULT_RESET_KEEPS_FENCE] = "reset_keeps_fence",
    [AGPU_FAULT_RESET_KEEPS_RESOURCES] = "reset_keeps_resources",
    [AGPU_FAULT_VBLANK_STUCK] = "vblank_stuck",
    [AGPU_FAULT_VSYNC_IMMEDIATE] = "vsync_immediate",
    [AGPU_FAULT_FB_GPA_NOT_STAGED] = "fb_gpa_not_staged",
    [AGPU_FAULT_UNKNOWN_OPCODE] = "unknown_opcode",
    [AGPU_FAULT_DUPLICATE_ALLOC] = "duplicate_alloc",
    [AGPU_FAULT_CLEAR_SWAPS_RB] = "clear_swaps_rb",
    [AGPU_FAULT_TOKEN_REUSE] = "token_reuse",
};

bool agpu_fault_find(const char *name, enum agpu_fault *out)
{
    if (name == NULL) {
        *out = AGPU_FAULT_NONE;
        return true;
    }
    for (size_t i = 0; i < AGPU_FAULT_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum agpu_fault)i;
            return true;
        }
    }
    return false;
}

const char *agpu_fault_name(size_t index)
{
    return index > 0 && index < AGPU_FAULT_COUNT ? names[index] : NULL;
}
