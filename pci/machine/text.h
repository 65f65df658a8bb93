/* text.h: builds one line of text in a caller's buffer without libc: bounded, always terminated, truncation
 * is seen. */
#ifndef AGPU_PCI_MACHINE_TEXT_H
#define AGPU_PCI_MACHINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line under construction. buffer belongs to the caller and holds capacity bytes, the last one for the
 * terminator. */
struct agpu_text {
    char *buffer;
    size_t capacity;
    size_t length;
    bool truncated; /* something did not fit and was left out */
};

/* Starts an empty line in buffer. capacity 0 is allowed: everything is then truncated. */
void agpu_text_begin(struct agpu_text *text, char *buffer, size_t capacity);

/* Each appends to the line; what does not fit is cut and sets truncated. A null string appends "(null)". */
void agpu_text_char(struct agpu_text *text, char c);
void agpu_text_string(struct agpu_text *text, const char *string);
void agpu_text_u64(struct agpu_text *text, uint64_t value);
void agpu_text_i64(struct agpu_text *text, int64_t value);

/* Upper-case hexadecimal without prefix, zero padded to digits (1..16); more digits are used where needed. */
void agpu_text_hex_digits(struct agpu_text *text, uint64_t value, unsigned digits);

/* Lower-case hexadecimal with 0x and no padding. */
void agpu_text_hex(struct agpu_text *text, uint64_t value);

/* name as it stands, then the value. */
void agpu_text_named_u64(struct agpu_text *text, const char *name, uint64_t value);
void agpu_text_named_hex(struct agpu_text *text, const char *name, uint64_t value);

#endif
