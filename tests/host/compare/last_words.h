/* last_words.h: why a process with a device ended, of all that it has written to standard error. */
#ifndef AGPU_HOST_COMPARE_LAST_WORDS_H
#define AGPU_HOST_COMPARE_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The line that agpu_said_why() finds in the last 64 KiB of the file, for a device may write what it likes. Cut to size, fit for a
 * terminal. False, and text is "", when nothing was written. */
bool agpu_cmp_last_words(int file, char *text, size_t size);

#endif
