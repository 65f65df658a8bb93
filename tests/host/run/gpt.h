/* gpt.h: finds the EFI system partition in a GUID partition table (UEFI specification, chapter 5.3). */
#ifndef AGPU_HOST_RUN_GPT_H
#define AGPU_HOST_RUN_GPT_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_partition {
    uint64_t offset; /* bytes from the start of the disk */
    uint64_t size;   /* bytes */
};

/* Reads size bytes at offset; false when they cannot be read. */
typedef bool agpu_disk_read(void *ctx, uint64_t offset, void *bytes, uint32_t size);

/* Finds the first EFI system partition of a disk of disk_size bytes with 512-byte sectors. Verifies both checksums;
 * reads only the primary table. Returns NULL on success, else the error. */
const char *agpu_gpt_find_esp(agpu_disk_read *read, void *ctx, uint64_t disk_size,
                              struct agpu_partition *out);

#endif
