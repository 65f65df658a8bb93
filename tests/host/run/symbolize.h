/* symbolize.h: converts offsets in agpu.efi to functions and lines. */
#ifndef AGPU_HOST_RUN_SYMBOLIZE_H
#define AGPU_HOST_RUN_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

/* offsets: hexadecimal numbers separated by spaces, as in a stack= key. Fills text with one line each, "function at
 * file:line", innermost first, truncated to size. Returns false with the reason in text when llvm-symbolizer is
 * missing or prints nothing. Takes some tenths of a second. */
bool agpu_symbolize(const char *efi, const char *offsets, char *text, size_t size);

#endif
