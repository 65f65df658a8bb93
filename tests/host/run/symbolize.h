/* symbolize.h: functions and lines for offsets into agpu.efi. */
#ifndef AGPU_HOST_RUN_SYMBOLIZE_H
#define AGPU_HOST_RUN_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

/* agpu.efi beside the disk image that was made from it; false when there is none. */
bool agpu_symbols_find(const char *image, char *efi, size_t size);

/* offsets: hexadecimal numbers with spaces between, as a stack= key has them. Fills text with a line each, "function at
 * file:line", innermost first, cut to size. False with the reason in text when llvm-symbolizer is not there or says
 * nothing. Takes some tenths of a second. */
bool agpu_symbolize(const char *efi, const char *offsets, char *text, size_t size);

#endif
