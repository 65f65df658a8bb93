/* refusal.h: accesses to memory that were refused to a device: how many, and whether one was absurd. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_REFUSAL_H
#define VGPU_TESTS_DEVICE_PLUGIN_REFUSAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first. Any thread. */
struct vgpu_refusals {
    atomic_ullong count;
    atomic_ullong absurd; /* of them */
};

/* More than this many bytes no access can have: physical addresses of x86 have at most 52 bits. A driver may make a device ask for
 * memory that is not there, and to be refused is right then. But to pass on such a size unchecked is not: on a board
 * it would read, or overwrite, all memory that there is. */
#define VGPU_DMA_ABSURD (UINT64_C(1) << 52)

/* In the sentence; whoever has only the device's output knows it by this (tests/host/said.h). */
#define VGPU_DMA_ABSURD_WORDS " asked for absurd DMA: "

/* Counts one more. True for the first absurd one, and then line is a sentence about it: who, what it asked for. */
bool vgpu_refusals_add(struct vgpu_refusals *refusals, const char *who, bool write, uint64_t address,
                       uint64_t size, char *line, size_t line_size);

#endif
