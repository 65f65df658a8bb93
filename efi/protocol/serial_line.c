/* serial_line.c: hexadecimal digits and a CRC. */
#include "efi/protocol/serial_line.h"

#include <string.h>

#define MARK_SIZE  (sizeof AGPU_SERIAL_MARK - 1)
#define CRC_SIZE   4
#define POLYNOMIAL UINT32_C(0xEDB88320) /* of IEEE 802.3, reflected */

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (POLYNOMIAL & (0 - (crc & 1)));
        }
    }
    return ~crc;
}

static void put_number(uint8_t *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get_number(const uint8_t *from, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

size_t agpu_serial_line_write(const struct agpu_serial_line *line, char text[AGPU_SERIAL_OUTPUT_MAX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t raw[AGPU_SERIAL_HEAD + AGPU_SERIAL_PIECE_MAX + CRC_SIZE];
    size_t size = AGPU_SERIAL_HEAD + line->size;
    char *to = text;

    raw[0] = (uint8_t)line->kind;
    put_number(raw + 1, line->connection, 8);
    put_number(raw + 9, line->at, 4);
    put_number(raw + 13, line->wanted, 4);
    memcpy(raw + AGPU_SERIAL_HEAD, line->bytes, line->size);
    put_number(raw + size, crc32_of(raw, size), CRC_SIZE);
    size += CRC_SIZE;
    *to++ = '\n';
    memcpy(to, AGPU_SERIAL_MARK, MARK_SIZE);
    to += MARK_SIZE;
    *to++ = line->to_image ? '>' : '<';
    for (size_t i = 0; i < size; i++) {
        *to++ = digits[raw[i] >> 4];
        *to++ = digits[raw[i] & 15];
    }
    *to++ = '\n';
    return (size_t)(to - text);
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\r' || c == '\t' || c == '\0';
}

bool agpu_serial_line_is_meant(const char *text, size_t size)
{
    while (size != 0 && is_blank(*text)) {
        text++;
        size--;
    }
    return size > MARK_SIZE && memcmp(text, AGPU_SERIAL_MARK, MARK_SIZE) == 0;
}

bool agpu_serial_line_read(const char *text, size_t size, struct agpu_serial_line *out)
{
    uint8_t raw[AGPU_SERIAL_HEAD + AGPU_SERIAL_PIECE_MAX + CRC_SIZE];

    while (size != 0 && is_blank(text[size - 1])) {
        size--;
    }
    while (size != 0 && is_blank(*text)) {
        text++;
        size--;
    }
    if (size <= MARK_SIZE || memcmp(text, AGPU_SERIAL_MARK, MARK_SIZE) != 0 ||
        (text[MARK_SIZE] != '>' && text[MARK_SIZE] != '<')) {
        return false;
    }
    out->to_image = text[MARK_SIZE] == '>';
    text += MARK_SIZE + 1;
    size -= MARK_SIZE + 1;
    if (size % 2 != 0 || size / 2 < AGPU_SERIAL_HEAD + CRC_SIZE || size / 2 > sizeof raw) {
        return false;
    }
    size /= 2;
    for (size_t i = 0; i < size; i++) {
        const unsigned high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

        if (high > 15 || low > 15) {
            return false;
        }
        raw[i] = (uint8_t)(high << 4 | low);
    }
    size -= CRC_SIZE;
    if (get_number(raw + size, CRC_SIZE) != crc32_of(raw, size) ||
        (raw[0] != AGPU_SERIAL_DATA && raw[0] != AGPU_SERIAL_END)) {
        return false;
    }
    out->kind = (enum agpu_serial_kind)raw[0];
    out->connection = get_number(raw + 1, 8);
    out->at = (uint32_t)get_number(raw + 9, 4);
    out->wanted = (uint32_t)get_number(raw + 13, 4);
    out->size = size - AGPU_SERIAL_HEAD;
    memcpy(out->bytes, raw + AGPU_SERIAL_HEAD, out->size);
    return true;
}
