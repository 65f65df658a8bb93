/* symbolize.h: converts offsets in agpu.efi to functions and lines. */
#ifndef AGPU_HOST_RUN_SYMBOLIZE_H
#define AGPU_HOST_RUN_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds agpu.efi beside the disk image that was made from it; returns false when there is none. */
bool agpu_symbols_find(const char *image, char *efi, size_t size);

/* offsets: hexadecimal numbers separated by spaces, as in a stack= key. Fills text with one line each, "function at
 * file:line", innermost first, truncated to size. Returns false with the reason in text when llvm-symbolizer is
 * missing or prints nothing. Takes some tenths of a second. */
bool agpu_symbolize(const char *efi, const char *offsets, char *text, size_t size);

#endif
