/* ipv4.c: address notations. */
#include "efi/ipv4.h"

#include <string.h>

#define MAC_SIZE 6

bool agpu_span_cut(struct agpu_span *text, char c, struct agpu_span *before)
{
    for (size_t i = 0; i < text->size; i++) {
        if (text->at[i] == c) {
            *before = (struct agpu_span){text->at, i};
            *text = (struct agpu_span){text->at + i + 1, text->size - i - 1};
            return true;
        }
    }
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

struct agpu_span agpu_span_trim(struct agpu_span text)
{
    while (text.size && is_blank(text.at[0])) {
        text.at++;
        text.size--;
    }
    while (text.size && is_blank(text.at[text.size - 1])) {
        text.size--;
    }
    return text;
}

bool agpu_span_is(struct agpu_span text, const char *word)
{
    return text.size == strlen(word) && !memcmp(text.at, word, text.size);
}

bool agpu_read_decimal(struct agpu_span text, uint32_t max, uint32_t *out)
{
    uint64_t value = 0;

    if (!text.size) {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text.at[i] - '0');
        if (value > max) {
            return false;
        }
    }
    *out = (uint32_t)value;
    return true;
}

bool agpu_read_ipv4(struct agpu_span text, uint32_t *out)
{
    uint32_t address = 0, part;

    for (int i = 0; i < 4; i++) {
        struct agpu_span piece = text;

        if (i < 3 && !agpu_span_cut(&text, '.', &piece)) {
            return false;
        }
        if (!agpu_read_decimal(i < 3 ? piece : text, 255, &part)) {
            return false;
        }
        address = address << 8 | part;
    }
    *out = address;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

bool agpu_read_hex(const char *digits, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool agpu_read_mac(struct agpu_span text, uint8_t out[6])
{
    uint8_t mac[MAC_SIZE];

    if (text.size != MAC_SIZE * 3 - 1) {
        return false;
    }
    for (size_t i = 0; i < MAC_SIZE; i++) {
        int high = hex_digit(text.at[i * 3]), low = hex_digit(text.at[i * 3 + 1]);

        if (high < 0 || low < 0) {
            return false;
        }
        if (i < MAC_SIZE - 1 && text.at[i * 3 + 2] != ':' && text.at[i * 3 + 2] != '-') {
            return false;
        }
        mac[i] = (uint8_t)(high << 4 | low);
    }
    memcpy(out, mac, sizeof mac);
    return true;
}

void agpu_text_ipv4(struct agpu_text *text, uint32_t address)
{
    agpu_format(text, "%u.%u.%u.%u", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF,
                address & 0xFF);
}

void agpu_text_mac(struct agpu_text *text, const uint8_t mac[6])
{
    agpu_format(text, "%02X:%02X:%02X:%02X:%02X:%02X", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}
