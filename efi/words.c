/* words.c: splits words at blanks like a shell, and does nothing else that a shell does. */
#include "efi/words.h"

#include <string.h>

#include "efi/dhcp_packet.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t agpu_words_lines(const char *text, size_t size, char *out)
{
    size_t used = 0;
    bool quoted = false;

    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        if (text[i] == '"') {
            quoted = !quoted;
        } else if (text[i] == '\n' || text[i] == '\r' || (is_blank(text[i]) && !quoted)) {
            if (used != 0 && out[used - 1] != '\n') {
                out[used++] = '\n';
            }
        } else {
            out[used++] = text[i];
        }
    }
    if (used != 0 && out[used - 1] != '\n') {
        out[used++] = '\n';
    }
    return used;
}

static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!is_blank(text[i]) && (text[i] < ' ' || text[i] > '~')) {
            return false;
        }
    }
    return true;
}

/* Returns the bytes of the first line when it is the program's name: no setting, or a path that contains
 * '='. */
static size_t program_name(const char *lines, size_t size)
{
    static const char suffix[4] = {'.', 'e', 'f', 'i'};
    size_t length = 0;
    bool setting = false, efi;

    while (length < size && lines[length] != '\n') {
        setting = setting || lines[length] == '=';
        length++;
    }
    efi = length >= sizeof suffix;
    for (size_t i = 0; efi && i < sizeof suffix; i++) {
        efi = (lines[length - sizeof suffix + i] | 0x20) == (suffix[i] | 0x20);
    }
    return !setting || efi ? length + (length < size) : 0;
}

bool agpu_words_of_load_options(const void *options, size_t size, char *out, size_t *length)
{
    char text[AGPU_WORDS_MAX];
    const uint8_t *bytes = options;
    size_t used = 0, name;

    *length = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        const unsigned c = bytes[i] | (unsigned)bytes[i + 1] << 8;

        if (c == 0) {
            break;
        }
        if (c > '~' || used == sizeof text) {
            return false;
        }
        text[used++] = (char)c;
    }
    if (!is_text(text, used)) {
        return false;
    }
    used = agpu_words_lines(text, used, out);
    name = program_name(out, used);
    memmove(out, out + name, used - name);
    *length = used - name;
    return true;
}

bool agpu_words_of_dhcp(const uint8_t *packet, size_t size, char *out, size_t *length)
{
    char text[AGPU_WORDS_MAX];
    size_t used = agpu_dhcp_option(packet, size, AGPU_DHCP_CONFIG, text, sizeof text);

    /* Servers may add a zero byte. */
    while (used != 0 && text[used - 1] == '\0') {
        used--;
    }
    *length = 0;
    if (!is_text(text, used)) {
        return false;
    }
    *length = agpu_words_lines(text, used, out);
    return true;
}
