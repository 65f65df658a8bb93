/* faults.h: deliberate faults of the device model, one active at a time, by which tests/mutate shows that the
 * catalogue would notice a broken device. */
#ifndef AGPU_TESTS_DEVICE_FAULTS_H
#define AGPU_TESTS_DEVICE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum agpu_fault {
    AGPU_FAULT_NONE = 0,
    AGPU_FAULT_FENCE_EARLY,           /* fence completes before the stream has run */
    AGPU_FAULT_FENCE_LOST,            /* every 16th fence never completes */
    AGPU_FAULT_NO_FENCE_PAGE,         /* fence page is never written */
    AGPU_FAULT_IRQ_NOT_MASKED,        /* line follows IRQ_STATUS without IRQ_ENABLE */
    AGPU_FAULT_IRQ_ACK_ALL,           /* any IRQ_ACK clears every bit */
    AGPU_FAULT_NO_IRQ_IGNORED,        /* fences raise interrupts although the descriptor says NO_IRQ */
    AGPU_FAULT_COPY_DROPS_TAIL,       /* copies lose their last 4 bytes */
    AGPU_FAULT_COPY_TEXTURE_ROW,      /* texture copies lose their last row */
    AGPU_FAULT_WRITEBACK_LOST,        /* WRITEBACK_DST does not reach guest memory */
    AGPU_FAULT_WRITEBACK_TO_READONLY, /* READONLY of an allocation is not respected */
    AGPU_FAULT_DIRTY_IGNORED,         /* RESOURCE_DIRTY_RANGE reads nothing */
    AGPU_FAULT_UPLOAD_SHIFTED,        /* uploads land 4 bytes too far where there is room */
    AGPU_FAULT_CREATE_NOT_ZEROED,     /* device-owned resources start with old contents */
    AGPU_FAULT_DOORBELL_LOST,         /* every second doorbell is ignored */
    AGPU_FAULT_ERROR_COUNT_STUCK,     /* ERROR_COUNT stays 0 */
    AGPU_FAULT_ERROR_STOPS_FENCE,     /* fence of a failed submission does not complete */
    AGPU_FAULT_HEAD_STUCK,            /* ring head is not published */
    AGPU_FAULT_RESET_KEEPS_FENCE,     /* ring reset keeps COMPLETED_FENCE */
    AGPU_FAULT_RESET_KEEPS_RESOURCES, /* ring reset keeps resources */
    AGPU_FAULT_VBLANK_STUCK,          /* vblank counter does not move */
    AGPU_FAULT_VSYNC_IMMEDIATE,       /* vsync-paced fences complete at once */
    AGPU_FAULT_FB_GPA_NOT_STAGED,     /* SCANOUT0_FB_GPA_LO takes effect before HI */
    AGPU_FAULT_UNKNOWN_OPCODE,        /* an unknown opcode is an error */
    AGPU_FAULT_DUPLICATE_ALLOC,       /* duplicate alloc_id in a table is accepted */
    AGPU_FAULT_CLEAR_SWAPS_RB,        /* colour clears swap red and blue */
    AGPU_FAULT_TOKEN_REUSE,           /* a retired share token may be exported again */
    AGPU_FAULT_COUNT
};

/* Finds a fault by name; NULL and "" are AGPU_FAULT_NONE. False when the name is unknown, *out unchanged. */
bool agpu_fault_find(const char *name, enum agpu_fault *out);

/* Name of a fault for lists and messages; NULL past the last one. index 1 is the first. */
const char *agpu_fault_name(size_t index);

#endif
