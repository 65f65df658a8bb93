/* trace_file.h: the user-mode driver's trace in a file of the volume that the application was started from, as
 * AEROGPU_D3D10_11_LOG_FILE names one on Windows (umd.md 18). */
#ifndef AGPU_EFI_TRACE_FILE_H
#define AGPU_EFI_TRACE_FILE_H

#include "efi/machine.h"

/* Opens the file to append to it; makes it, but no folders. path: characters below 0x7F, '/' or '\\' between names.
 * NULL, or what failed. */
const char *agpu_trace_file_open(const char *path);
/* Appends one line with its line break, and flushes it: a machine that hangs in the next call has it on its disk. Does
 * nothing while no file is open. NULL, or what failed: then the file is closed. */
const char *agpu_trace_file_append(const char *line);
void agpu_trace_file_close(void);

/* Where the firmware loaded the application from, "\EFI\BOOT\BOOTX64.EFI"; "" when it does not say. */
const char *agpu_module_path(void);

#endif
