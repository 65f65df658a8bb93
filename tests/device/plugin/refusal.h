/* refusal.h: counts refused memory accesses of a device and detects absurd ones. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_REFUSAL_H
#define VGPU_TESTS_DEVICE_PLUGIN_REFUSAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first. Any thread. */
struct vgpu_refusals {
    atomic_ullong count;
    atomic_ullong absurd; /* part of count */
};

/* No valid access is larger: physical addresses of x86 have at most 52 bits. A driver may make a device access
 * missing memory, and the refusal is then correct. A device that passes on an absurd size unchecked is wrong:
 * on a board it would read, or overwrite, all memory. */
#define VGPU_DMA_ABSURD (UINT64_C(1) << 52)

/* Part of the sentence, by which tests/host/device_output.h recognises it in the output of a device. */
#define VGPU_DMA_ABSURD_WORDS " asked for absurd DMA: "

/* Part of the sentence about a call that the header forbids. It changes no verdict, but is in the report. */
#define VGPU_CONTRACT_WORDS " breaks the contract of agpu_device_plugin.h: "

/* Counts one refusal. Returns true for the first absurd one, with a sentence in line that names the device and the
 * request. */
bool vgpu_refusals_add(struct vgpu_refusals *refusals, const char *who, bool write, uint64_t address,
                       uint64_t size, char *line, size_t line_size);

#endif
