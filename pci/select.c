/* select.c: words that name PCI functions. */
#include "pci/select.h"

#include <string.h>

/* Reads 1 to `digits` hexadecimal digits and moves *at past them. */
static bool read_hex(const char **at, const char *end, unsigned digits, uint32_t *out)
{
    const char *start = *at;

    for (*out = 0; *at < end && (unsigned)(*at - start) < digits; ++*at) {
        const char c = **at;
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                      : 16;

        if (digit == 16) {
            break;
        }
        *out = *out * 16 + digit;
    }
    return *at > start;
}

static bool read_mark(const char **at, const char *end, char mark)
{
    if (*at == end || **at != mark) {
        return false;
    }
    ++*at;
    return true;
}

/* Reads VVVV:DDDD, always four digits each: with fewer it would look like the start of a location. */
static bool read_identity(const char *word, size_t size, struct agpu_selector *out)
{
    const char *at = word, *end = word + size;
    uint32_t vendor, device;

    if (size != 9 || !read_hex(&at, end, 4, &vendor) || !read_mark(&at, end, ':') || at != word + 5 ||
        !read_hex(&at, end, 4, &device) || at != end) {
        return false;
    }
    *out = (struct agpu_selector){
        .kind = AGPU_SELECT_IDENTITY, .vendor = (uint16_t)vendor, .device = (uint16_t)device};
    return true;
}

static bool read_location(const char *word, size_t size, struct agpu_selector *out)
{
    const char *at = word, *end = word + size;
    uint32_t part[3] = {0};
    unsigned count = 0;
    uint32_t function;

    do {
        if (count == 3 || !read_hex(&at, end, 4, &part[count])) {
            return false;
        }
        count++;
    } while (read_mark(&at, end, ':'));
    if (count < 2 || !read_mark(&at, end, '.') || !read_hex(&at, end, 1, &function) || at != end ||
        part[count - 2] > 0xFF || part[count - 1] > 0x1F || function > 7) {
        return false;
    }
    *out = (struct agpu_selector){.kind = AGPU_SELECT_LOCATION,
                                  .at = {.segment = (uint16_t)(count == 3 ? part[0] : 0),
                                         .bus = (uint8_t)part[count - 2],
                                         .device = (uint8_t)part[count - 1],
                                         .function = (uint8_t)function}};
    return true;
}

bool agpu_selector_read(const char *word, size_t size, struct agpu_selector *out)
{
    if (size == 3 && memcmp(word, "all", 3) == 0) {
        *out = (struct agpu_selector){.kind = AGPU_SELECT_ALL};
        return true;
    }
    return read_identity(word, size, out) || read_location(word, size, out);
}

bool agpu_selector_takes(const struct agpu_selector *selector, const struct agpu_pci_found *found)
{
    const struct agpu_pci_location *at = &found->ref.location;

    switch (selector->kind) {
    case AGPU_SELECT_ALL:
        return true;
    case AGPU_SELECT_IDENTITY:
        return found->vendor == selector->vendor && found->device == selector->device;
    case AGPU_SELECT_LOCATION:
        return at->segment == selector->at.segment && at->bus == selector->at.bus &&
               at->device == selector->at.device && at->function == selector->at.function;
    }
    return false;
}

bool agpu_selector_next(const char **list, const char **word, size_t *size)
{
    const char *at = *list;

    while (*at == ',' || *at == ' ') {
        at++;
    }
    *word = at;
    while (*at != '\0' && *at != ',' && *at != ' ') {
        at++;
    }
    *size = (size_t)(at - *word);
    *list = at;
    return *size != 0;
}
