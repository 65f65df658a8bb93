/* text.c: escaping of bytes from outside for terminals, XML and JSON. */
#include "tests/host/report/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t agpu_utf8_length(const char *text, size_t length)
{
    const unsigned char *t = (const unsigned char *)text;

    if (length == 0) {
        return 0;
    }
    if (t[0] < 0x80) {
        return 1;
    }
    size_t need = t[0] >= 0xc2 && t[0] <= 0xdf   ? 2
                  : (t[0] & 0xf0) == 0xe0        ? 3
                  : t[0] >= 0xf0 && t[0] <= 0xf4 ? 4
                                                 : 0;
    if (need == 0 || need > length) {
        return 0;
    }
    for (size_t i = 1; i < need; i++) {
        if ((t[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xf0 && t[1] < 0x90);
    bool outside = (t[0] == 0xed && t[1] > 0x9f) || (t[0] == 0xf4 && t[1] > 0x8f);
    return overlong || outside ? 0 : need;
}

/* Also of line ends (U+2028, U+2029) and of what changes the order of the text around it (U+202A to U+202E, U+2066 to
 * U+2069). */
static bool control_length(const char *text, size_t length)
{
    const unsigned char *t = (const unsigned char *)text;

    return t[0] < 0x20 || t[0] == 0x7f || (length == 2 && t[0] == 0xc2 && t[1] < 0xa0) ||
           (length == 3 && t[0] == 0xe2 && t[1] == 0x80 && t[2] >= 0xa8 && t[2] <= 0xae) ||
           (length == 3 && t[0] == 0xe2 && t[1] == 0x81 && t[2] >= 0xa6 && t[2] <= 0xa9);
}

size_t agpu_text_plain(const char *text, size_t length)
{
    size_t n = 0;

    while (n < length && text[n] >= 0x20 && text[n] < 0x7f) {
        n++;
    }
    return n;
}

void agpu_text_write_line(FILE *out, const char *text, size_t length)
{
    while (length > 0) {
        size_t n = agpu_text_plain(text, length);

        if (n == 0) {
            n = agpu_utf8_length(text, length);
            if (n == 0 || control_length(text, n)) {
                fprintf(out, "\\x%02x", (unsigned char)*text);
                text++;
                length--;
                continue;
            }
        }
        fwrite(text, 1, n, out);
        text += n;
        length -= n;
    }
}

/* Returns the length of the ECMA-48 control sequence at text (ESC [ ... final, or ESC and one byte), 0 if there is
 * none. */
static size_t control_sequence(const char *text, size_t length)
{
    if (length < 2 || text[0] != '\x1b') {
        return 0;
    }
    if (text[1] != '[') {
        return 2;
    }
    size_t at = 2;
    while (at < length && text[at] >= 0x20 && text[at] <= 0x3f) {
        at++;
    }
    return at < length ? at + 1 : at;
}

void agpu_text_write_console(FILE *out, const char *text, size_t length)
{
    size_t from = 0;
    size_t at = 0;

    while (at < length) {
        size_t sequence = control_sequence(text + at, length - at);

        if (sequence > 0) {
            agpu_text_write_line(out, text + from, at - from);
            from = at + sequence;
        }
        at += sequence > 0 ? sequence : 1;
    }
    agpu_text_write_line(out, text + from, length - from);
}

static void write_xml_char(FILE *out, char c)
{
    switch (c) {
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '&':
        fputs("&amp;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    default:
        putc(c, out);
    }
}

void agpu_text_write_xml(FILE *out, const char *text)
{
    size_t length = strlen(text);

    while (length > 0) {
        size_t n = agpu_utf8_length(text, length);
        bool noncharacter = n == 3 && (unsigned char)text[0] == 0xef && (unsigned char)text[1] == 0xbf &&
                            (unsigned char)text[2] >= 0xbe; /* U+FFFE, U+FFFF: not allowed in XML */

        if (n == 0 || noncharacter || (control_length(text, n) && *text != '\n')) {
            fprintf(out, "\\x%02x", (unsigned char)*text);
            n = 1;
        } else if (n == 1) {
            write_xml_char(out, *text);
        } else {
            fwrite(text, 1, n, out);
        }
        text += n;
        length -= n;
    }
}

char *agpu_text_utf8(const char *text, size_t size, size_t *length)
{
    char *made = malloc(size * 4 + 1);

    if (made == NULL) {
        return NULL;
    }
    char *to = made;
    while (size > 0) {
        size_t n = agpu_utf8_length(text, size);

        if (n == 0) {
            static const char hex[] = "0123456789abcdef";

            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex[(uint8_t)*text >> 4];
            *to++ = hex[(uint8_t)*text & 15];
            n = 1;
        } else {
            memcpy(to, text, n);
            to += n;
        }
        text += n;
        size -= n;
    }
    *to = '\0';
    *length = (size_t)(to - made);
    return made;
}
