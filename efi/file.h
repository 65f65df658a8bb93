/* file.h: files of the volume that the application was started from, and of other volumes. */
#ifndef AGPU_EFI_FILE_H
#define AGPU_EFI_FILE_H

#include "efi/machine.h"

#define AGPU_FILE_PATH_MAX 160

/* Path of the file `name` in the folder that the application was started from: to open (path), and to show
 * (shown). False when that folder is unknown or its name too long. */
bool agpu_file_beside(const char *name, CHAR16 path[AGPU_FILE_PATH_MAX], char shown[256]);

/* False when the application was loaded without a file system, as from a boot server. */
bool agpu_file_has_volume(void);

/* Error text for a missing file, here and on a boot server; compared by address. */
extern const char agpu_file_missing[];

/* Reads a whole file of at most max bytes into pool memory for agpu_heap_free(). Returns NULL, or what
 * failed. */
const char *agpu_file_read(CHAR16 *path, size_t max, char **data, size_t *size);

/* Empties the file on the first volume that has it, else creates it on the volume that the application was
 * started from; opens it for writing. The caller closes it. Returns NULL, or what failed. */
const char *agpu_file_create(CHAR16 *path, EFI_FILE_HANDLE *file);

/* Opens the file for reading, on the volume that the application was started from, else on the first volume
 * that has it. The caller closes it. Returns NULL, or what failed. */
const char *agpu_file_open(const char *path, EFI_FILE_HANDLE *file);

/* Like agpu_file_create(), but only on the volume that the application was started from. */
const char *agpu_file_renew(CHAR16 *path, EFI_FILE_HANDLE *file);

#endif
