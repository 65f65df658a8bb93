/* submission.h: makes the SUBMISSION record of a descriptor (format.h, ring.md 3). Freestanding. */
#ifndef AGPU_CAPTURE_SUBMISSION_H
#define AGPU_CAPTURE_SUBMISSION_H

#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/format.h"

/* number: from 1; slot: ring index; address: of the descriptor, of which `bytes` follow the record. */
static inline struct agpu_capture_submission
agpu_capture_submission_of(const struct aerogpu_submit_desc *desc, uint64_t number, uint32_t slot,
                           uint64_t address, uint32_t bytes)
{
    return (struct agpu_capture_submission){.number = number,
                                            .descriptor_address = address,
                                            .fence = desc->signal_fence,
                                            .cmd_address = desc->cmd_gpa,
                                            .table_address = desc->alloc_table_gpa,
                                            .cmd_bytes = desc->cmd_size_bytes,
                                            .table_bytes = desc->alloc_table_size_bytes,
                                            .flags = desc->flags,
                                            .context = desc->context_id,
                                            .generation = AGPU_CAPTURE_VERSIONED,
                                            .slot = slot,
                                            .descriptor_bytes = bytes};
}

#endif
