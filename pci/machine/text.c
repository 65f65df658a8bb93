/* text.c: the bounded line builder. */
#include "pci/machine/text.h"

static void terminate_text(struct agpu_text *text)
{
    if (text->capacity != 0) {
        text->buffer[text->length] = '\0';
    }
}

void agpu_text_begin(struct agpu_text *text, char *buffer, size_t capacity)
{
    *text = (struct agpu_text){.buffer = buffer, .capacity = capacity};
    terminate_text(text);
}

void agpu_text_char(struct agpu_text *text, char c)
{
    if (text->length + 1 >= text->capacity) {
        text->truncated = true;
        return;
    }
    text->buffer[text->length++] = c;
    terminate_text(text);
}

void agpu_text_string(struct agpu_text *text, const char *string)
{
    if (string == NULL) {
        string = "(null)";
    }
    for (; *string; string++) {
        agpu_text_char(text, *string);
    }
}

void agpu_text_u64(struct agpu_text *text, uint64_t value)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count != 0) {
        agpu_text_char(text, digits[--count]);
    }
}

void agpu_text_i64(struct agpu_text *text, int64_t value)
{
    if (value < 0) {
        agpu_text_char(text, '-');
        agpu_text_u64(text, 0 - (uint64_t)value); /* well defined for INT64_MIN too */
        return;
    }
    agpu_text_u64(text, (uint64_t)value);
}

static void append_hex(struct agpu_text *text, uint64_t value, unsigned digits, const char *alphabet)
{
    unsigned needed = 1;

    while (needed < 16 && (value >> (4 * needed)) != 0) {
        needed++;
    }
    if (digits > 16) {
        digits = 16;
    }
    if (digits < needed) {
        digits = needed;
    }
    while (digits != 0) {
        digits--;
        agpu_text_char(text, alphabet[(value >> (4 * digits)) & 0xF]);
    }
}

void agpu_text_hex_digits(struct agpu_text *text, uint64_t value, unsigned digits)
{
    append_hex(text, value, digits, "0123456789ABCDEF");
}

void agpu_text_hex(struct agpu_text *text, uint64_t value)
{
    agpu_text_string(text, "0x");
    append_hex(text, value, 1, "0123456789abcdef");
}

void agpu_text_named_u64(struct agpu_text *text, const char *name, uint64_t value)
{
    agpu_text_string(text, name);
    agpu_text_u64(text, value);
}

void agpu_text_named_hex(struct agpu_text *text, const char *name, uint64_t value)
{
    agpu_text_string(text, name);
    agpu_text_hex(text, value);
}
