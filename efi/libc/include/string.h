/* string.h: the memory and string functions that the image's code and lwIP call. */
#ifndef AGPU_LIBC_STRING_H
#define AGPU_LIBC_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *bytes, int byte, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);

/* With -ffreestanding the compiler does not know these functions; the builtins expand small constant sizes in
 * place. Variadic, so that a compound literal may be an argument. */
#define memcpy(...)  __builtin_memcpy(__VA_ARGS__)
#define memmove(...) __builtin_memmove(__VA_ARGS__)
#define memset(...)  __builtin_memset(__VA_ARGS__)
#define memcmp(...)  __builtin_memcmp(__VA_ARGS__)

#endif
