/* file.h: files of the volume that the application was started from, and of others. */
#ifndef AGPU_EFI_FILE_H
#define AGPU_EFI_FILE_H

#include "efi/machine.h"

#define AGPU_FILE_PATH_MAX 160

/* The path of name in the folder that the application was started from, to read and (256 bytes) to show. False when that
 * folder is not known, or too long. */
bool agpu_file_beside(const char *name, CHAR16 path[AGPU_FILE_PATH_MAX], char shown[256]);

/* False when the application came without a file system, as from a boot server. */
bool agpu_file_has_volume(void);

/* What is said of a file that is not there, here and on a boot server: compared by address. */
extern const char agpu_file_missing[];

/* Reads a whole file of at most max bytes into pool memory for agpu_heap_free(). NULL, or what failed. */
const char *agpu_file_read(CHAR16 *path, size_t max, char **data, size_t *size);

/* Empties the file on the first volume that has it, else creates it on the volume that the application was started from, and
 * opens it for writing; the caller closes it. NULL, or what failed. */
const char *agpu_file_create(CHAR16 *path, EFI_FILE_HANDLE *file);

/* Opens the file for reading on the volume that the application was started from, else on the first that has it; the caller
 * closes it. NULL, or what failed. */
const char *agpu_file_open(const char *path, EFI_FILE_HANDLE *file);

/* The same on the volume that the application was started from, alone. */
const char *agpu_file_renew(CHAR16 *path, EFI_FILE_HANDLE *file);

#endif
