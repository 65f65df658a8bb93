/* boot_file.h: interface for reading a file from a boot server. */
#ifndef AGPU_EFI_BOOT_FILE_H
#define AGPU_EFI_BOOT_FILE_H

#include "efi/clock.h"
#include "efi/machine.h"

#define AGPU_BOOT_FOLDER_MAX 200 /* bytes of a folder name, with the terminator */
#define AGPU_BOOT_NAME_MAX   256 /* bytes of a full file name, with the terminator */

/* Longest wait for one answer of the server. */
#define AGPU_BOOT_ANSWER_NS (10 * AGPU_NS_PER_S)

/* Returns the longest time for the transfer of this many bytes: that of an answer, and the same again for each
 * 64 KiB. */
static inline uint64_t agpu_boot_transfer_ns(size_t size)
{
    return AGPU_BOOT_ANSWER_NS * (1 + size / 65536);
}

/* Reads the file `name` in the folder of the loaded application, at most max bytes, into memory for
 * agpu_heap_free(). where gets the full name that was requested, as "tftp://192.0.2.1/boot/agpu.cfg". Returns
 * NULL, or what failed: agpu_file_missing (file.h) when the server has no such file. */
typedef const char *agpu_boot_file_fn(const char *name, size_t max, char where[AGPU_BOOT_NAME_MAX],
                                      char **data, size_t *size);

#endif
