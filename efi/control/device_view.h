/* device_view.h: rows of the monitor about an opened device: function, registers, ring and allocations
 * (tests/handbook/control.md 4). */
#ifndef AGPU_EFI_CONTROL_DEVICE_VIEW_H
#define AGPU_EFI_CONTROL_DEVICE_VIEW_H

#include "tests/cases/harness/record.h"
#include "tests/cases/rig/env.h"

/* Appends the row to text; false, with text unchanged, when it does not fit. */
bool agpu_view_put(struct agpu_text *text, struct agpu_record *row);

void agpu_view_function(struct agpu_record *row, const struct agpu_env *env);
/* Ring, fences, causes and errors. */
void agpu_view_ring(struct agpu_record *row, const struct agpu_env *env);

/* Returns NULL, or why there is no such register: width is 4 or 8 bytes of BAR0. */
const char *agpu_view_check_register(const struct agpu_env *env, uint64_t offset, uint64_t width);

/* An allocation of the driver that the device may use. */
struct agpu_view_block {
    const char *name;
    const struct agpu_dma *memory;
};
#define AGPU_VIEW_BLOCKS_MAX 16u
unsigned agpu_view_blocks(const struct agpu_env *env, struct agpu_view_block out[AGPU_VIEW_BLOCKS_MAX]);

/* Returns the CPU address of size bytes at a device address; NULL when they are not within one allocation of
 * the driver. */
const void *agpu_view_memory(const struct agpu_env *env, uint64_t address, uint64_t size);

#endif
