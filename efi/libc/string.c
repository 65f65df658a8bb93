/* string.c: str* and atoi for the image. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

void *memchr(const void *bytes, int byte, size_t size)
{
    const unsigned char *at = bytes;

    for (; size; at++, size--) {
        if (*at == (unsigned char)byte) {
            return (void *)at;
        }
    }
    return NULL;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++) {
        ;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
    for (; size && *a && *a == *b; a++, b++, size--) {
        ;
    }
    return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

int atoi(const char *text)
{
    long long value = 0, sign = 1;

    while (*text == ' ' || *text == '\t') {
        text++;
    }
    if (*text == '-' || *text == '+') {
        sign = *text++ == '-' ? -1 : 1;
    }
    for (; *text >= '0' && *text <= '9' && value <= INT_MAX; text++) {
        value = value * 10 + (*text - '0');
    }
    value *= sign;
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}
