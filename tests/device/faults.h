/* faults.h: deliberate faults of the device model, one active at a time, by which tests show that they
 * would notice a broken device (`agpu vdev --fault NAME`). */
#ifndef VGPU_TESTS_DEVICE_FAULTS_H
#define VGPU_TESTS_DEVICE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum vgpu_fault {
    VGPU_FAULT_NONE = 0,
    VGPU_FAULT_FENCE_EARLY,           /* fence completes before the stream has run */
    VGPU_FAULT_FENCE_LOST,            /* every 16th fence never completes */
    VGPU_FAULT_NO_FENCE_PAGE,         /* fence page is never written */
    VGPU_FAULT_IRQ_NOT_MASKED,        /* line follows IRQ_STATUS without IRQ_ENABLE */
    VGPU_FAULT_IRQ_ACK_ALL,           /* any IRQ_ACK clears every bit */
    VGPU_FAULT_NO_IRQ_IGNORED,        /* fences raise interrupts although the descriptor says NO_IRQ */
    VGPU_FAULT_COPY_DROPS_TAIL,       /* copies lose their last 4 bytes */
    VGPU_FAULT_COPY_TEXTURE_ROW,      /* texture copies lose their last row */
    VGPU_FAULT_WRITEBACK_LOST,        /* WRITEBACK_DST does not reach guest memory */
    VGPU_FAULT_WRITEBACK_TO_READONLY, /* READONLY of an allocation is not respected */
    VGPU_FAULT_DIRTY_IGNORED,         /* RESOURCE_DIRTY_RANGE reads nothing */
    VGPU_FAULT_UPLOAD_SHIFTED,        /* uploads land 4 bytes too far where there is room */
    VGPU_FAULT_CREATE_NOT_ZEROED,     /* device-owned resources start with old contents */
    VGPU_FAULT_DOORBELL_LOST,         /* every second doorbell is ignored */
    VGPU_FAULT_ERROR_COUNT_STUCK,     /* ERROR_COUNT stays 0 */
    VGPU_FAULT_ERROR_STOPS_FENCE,     /* fence of a failed submission does not complete */
    VGPU_FAULT_HEAD_STUCK,            /* ring head is not published */
    VGPU_FAULT_RESET_KEEPS_FENCE,     /* ring reset keeps COMPLETED_FENCE */
    VGPU_FAULT_RESET_KEEPS_RESOURCES, /* ring reset keeps resources */
    VGPU_FAULT_VBLANK_STUCK,          /* vblank counter does not move */
    VGPU_FAULT_VSYNC_IMMEDIATE,       /* vsync-paced fences complete at once */
    VGPU_FAULT_FB_GPA_NOT_STAGED,     /* SCANOUT0_FB_GPA_LO takes effect before HI */
    VGPU_FAULT_UNKNOWN_OPCODE,        /* an unknown opcode is an error */
    VGPU_FAULT_DUPLICATE_ALLOC,       /* duplicate alloc_id in a table is accepted */
    VGPU_FAULT_CLEAR_SWAPS_RB,        /* colour clears swap red and blue */
    VGPU_FAULT_TOKEN_REUSE,           /* a retired share token may be exported again */
    VGPU_FAULT_COUNT
};

/* Finds a fault by name; NULL and "" are VGPU_FAULT_NONE. False when the name is unknown, *out unchanged. */
bool vgpu_fault_find(const char *name, enum vgpu_fault *out);

/* Name of a fault for lists and messages; NULL past the last one. index 1 is the first. */
const char *vgpu_fault_name(size_t index);

#endif
