/* file.h: reads a file from the volume that the application was started from. */
#ifndef AGPU_EFI_FILE_H
#define AGPU_EFI_FILE_H

#include "efi/machine.h"

/* Reads a whole file of at most max bytes into pool memory for agpu_heap_free(). NULL, or what failed. */
const char *agpu_file_read(CHAR16 *path, size_t max, char **data, size_t *size);

#endif
