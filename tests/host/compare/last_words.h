/* last_words.h: finds why a process with a device ended, in its standard error. */
#ifndef AGPU_HOST_COMPARE_LAST_WORDS_H
#define AGPU_HOST_COMPARE_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the line that agpu_output_reason() finds in the last 64 KiB of the file (a device may write any amount),
 * truncated to size and escaped for a terminal. Returns false, with text "", when nothing was written. */
bool agpu_cmp_last_words(int file, char *text, size_t size);

#endif
