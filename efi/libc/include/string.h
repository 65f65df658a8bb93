/* string.h: the memory and string functions that the image's code and lwIP call. */
#ifndef AGPU_LIBC_STRING_H
#define AGPU_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);

/* -ffreestanding forgets what these mean; the builtins expand small constant sizes in place. */
#define memcpy(to, from, size)  __builtin_memcpy(to, from, size)
#define memmove(to, from, size) __builtin_memmove(to, from, size)
#define memset(to, byte, size)  __builtin_memset(to, byte, size)
#define memcmp(a, b, size)      __builtin_memcmp(a, b, size)

#endif
