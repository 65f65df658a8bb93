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

/* One conversion of a format, without its %. */
struct conversion {
    bool zeroes;    /* pads with these instead of spaces */
    unsigned width; /* at least */
    char size;      /* 'j', 'z', or 0: int */
    char letter;
};

/* Reads the conversion at format. Returns the character after it. */
static const char *read_conversion(const char *format, struct conversion *out)
{
    *out = (struct conversion){.zeroes = *format == '0'};
    for (; *format >= '0' && *format <= '9'; format++) {
        out->width = out->width * 10 + (unsigned)(*format - '0');
    }
    if (*format == 'j' || *format == 'z') {
        out->size = *format++;
    }
    out->letter = *format;
    return out->letter == '\0' ? format : format + 1;
}

static void append_number(struct agpu_text *text, const struct conversion *as, uint64_t value, bool negative)
{
    const char *alphabet = as->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = as->letter == 'x' || as->letter == 'X' ? 16 : 10;
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = alphabet[value % base];
        value /= base;
    } while (value != 0);
    if (negative && as->zeroes) {
        agpu_text_char(text, '-');
    }
    for (unsigned used = count + negative; used < as->width; used++) {
        agpu_text_char(text, as->zeroes ? '0' : ' ');
    }
    if (negative && !as->zeroes) {
        agpu_text_char(text, '-');
    }
    while (count != 0) {
        agpu_text_char(text, digits[--count]);
    }
}

/* The remaining arguments. A va_list may be an array, whose address cannot be passed on, so wrap it. */
struct arguments {
    va_list list;
};

/* Appends the next argument. Returns false when the conversion is not one of those in text.h. */
static bool append_argument(struct agpu_text *text, const struct conversion *as, struct arguments *rest)
{
    int64_t number;

    switch (as->letter) {
    case '%':
        agpu_text_char(text, '%');
        return true;
    case 'c':
        agpu_text_char(text, (char)va_arg(rest->list, int));
        return true;
    case 's':
        agpu_text_string(text, va_arg(rest->list, const char *));
        return true;
    case 'd':
        number = as->size == 'j'   ? va_arg(rest->list, intmax_t)
                 : as->size == 'z' ? va_arg(rest->list, ptrdiff_t)
                                   : va_arg(rest->list, int);
        append_number(text, as, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
        return true;
    case 'u':
    case 'x':
    case 'X':
        append_number(text, as,
                      as->size == 'j'   ? va_arg(rest->list, uintmax_t)
                      : as->size == 'z' ? va_arg(rest->list, size_t)
                                        : va_arg(rest->list, unsigned),
                      false);
        return true;
    default:
        return false;
    }
}

void agpu_format_args(struct agpu_text *text, const char *format, va_list args)
{
    struct arguments rest;
    struct conversion as;

    va_copy(rest.list, args);
    while (*format != '\0') {
        const char *next = format + 1;

        if (*format != '%') {
            agpu_text_char(text, *format);
        } else {
            next = read_conversion(next, &as);
            if (!append_argument(text, &as, &rest)) {
                agpu_text_string(text, format);
                break;
            }
        }
        format = next;
    }
    va_end(rest.list);
}

void agpu_format(struct agpu_text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    agpu_format_args(text, format, args);
    va_end(args);
}

static const char cut_mark[] = " [cut]";

void agpu_text_end(struct agpu_text *text)
{
    const size_t last = text->capacity - sizeof cut_mark;
    size_t at = last;

    if (!text->truncated || text->capacity < 24) {
        return;
    }
    while (at > last / 2 && text->buffer[at] != ' ') {
        at--;
    }
    text->length = text->buffer[at] == ' ' ? at : last; /* one long word is cut anywhere */
    agpu_text_string(text, cut_mark);
}

void agpu_format_line(char *buffer, size_t capacity, const char *format, ...)
{
    struct agpu_text text;
    va_list args;

    agpu_text_begin(&text, buffer, capacity);
    va_start(args, format);
    agpu_format_args(&text, format, args);
    va_end(args);
    agpu_text_end(&text);
}
