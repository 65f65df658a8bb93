/* boot_file.h: interface for reading a file from a boot server. */
#ifndef AGPU_EFI_BOOT_FILE_H
#define AGPU_EFI_BOOT_FILE_H

#include "efi/machine.h"

#define AGPU_BOOT_FOLDER_MAX 200 /* bytes of a folder name, with the terminator */
#define AGPU_BOOT_NAME_MAX   256 /* bytes of a full file name, with the terminator */

/* Reads the file `name` in the folder of the loaded application, at most max bytes, into memory for
 * agpu_heap_free(). where gets the full name that was requested, as "tftp://192.0.2.1/boot/agpu.cfg". Returns
 * NULL, or what failed: agpu_file_missing (file.h) when the server has no such file. */
typedef const char *agpu_boot_file_fn(const char *name, size_t max, char where[AGPU_BOOT_NAME_MAX],
                                      char **data, size_t *size);

#endif
