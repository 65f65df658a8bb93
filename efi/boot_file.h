/* boot_file.h: how a file of a boot server is read. */
#ifndef AGPU_EFI_BOOT_FILE_H
#define AGPU_EFI_BOOT_FILE_H

#include "efi/machine.h"

#define AGPU_BOOT_FOLDER_MAX 200 /* of its name, with the terminator */
#define AGPU_BOOT_NAME_MAX   256 /* of a whole file's, likewise */

/* Reads the file of that name in the folder of the one that was loaded, at most max bytes, into memory for agpu_heap_free(). where
 * says what was asked for, as "tftp://192.0.2.1/boot/agpu.cfg". NULL, or what failed: agpu_file_missing (file.h), when the
 * server has no such file. */
typedef const char *agpu_boot_file_fn(const char *name, size_t max, char where[AGPU_BOOT_NAME_MAX],
                                      char **data, size_t *size);

#endif
