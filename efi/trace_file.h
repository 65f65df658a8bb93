/* trace_file.h: the user-mode driver's trace in a file of the volume that the application was started from,
 * like AEROGPU_D3D10_11_LOG_FILE on Windows (umd.md 18). */
#ifndef AGPU_EFI_TRACE_FILE_H
#define AGPU_EFI_TRACE_FILE_H

#include "efi/machine.h"

/* Opens the file for appending and creates it if needed, but creates no folders. path: characters below 0x7F,
 * names separated by '/' or '\\'. Returns NULL, or what failed. */
const char *agpu_trace_file_open(const char *path);
/* Appends one line with its line break and flushes it: a machine that hangs in the next call has it on its
 * disk. Does nothing while no file is open. Returns NULL, or what failed; the file is then closed. */
const char *agpu_trace_file_append(const char *line);
void agpu_trace_file_close(void);

/* Path that the firmware loaded the application from, "\EFI\BOOT\BOOTX64.EFI"; "" when unknown. */
const char *agpu_module_path(void);

#endif
