/* dxbc_checksum.c: the checksum of a DXBC container: MD5 with the length at other places of the last block. */
#include "tests/device/render/dxbc_checksum.h"

#include <string.h>

static uint32_t md5_rotate(uint32_t value, uint32_t by)
{
    return value << by | value >> (32 - by);
}

/* One 64-byte block, RFC 1321 3.4. */
static void md5_transform(uint32_t state[4], const uint8_t *block)
{
    static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
    uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];

    memcpy(words, block, sizeof words);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t f, at;

        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            at = i;
            break;
        case 1:
            f = (b & d) | (c & ~d);
            at = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            at = (3 * i + 5) % 16;
            break;
        default:
            f = c ^ (b | ~d);
            at = 7 * i % 16;
            break;
        }
        uint32_t next = b + md5_rotate(a + f + words[at] + sines[i], shifts[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void vgpu_dxbc_checksum(const void *bytes, size_t size, uint32_t checksum[4])
{
    enum { SKIPPED = 20, BLOCK = 64 };
    const uint8_t *data = (const uint8_t *)bytes + SKIPPED;
    size_t left = size < SKIPPED ? 0 : size - SKIPPED;
    uint32_t bits = (uint32_t)left * 8, odd = bits >> 2 | 1;
    checksum[0] = 0x67452301;
    checksum[1] = 0xefcdab89;
    checksum[2] = 0x98badcfe;
    checksum[3] = 0x10325476;
    while (left >= BLOCK) {
        md5_transform(checksum, data);
        data += BLOCK;
        left -= BLOCK;
    }
    /* MD5 stores the length in the last 8 bytes. DXBC stores the bit count first and bits / 4 | 1 last. */
    uint8_t last[2 * BLOCK] = {0};
    if (left >= BLOCK - 8) {
        memcpy(last, data, left);
        last[left] = 0x80;
        memcpy(last + BLOCK, &bits, 4);
        memcpy(last + 2 * BLOCK - 4, &odd, 4);
        md5_transform(checksum, last);
        md5_transform(checksum, last + BLOCK);
    } else {
        memcpy(last, &bits, 4);
        if (left) {
            memcpy(last + 4, data, left);
        }
        last[4 + left] = 0x80;
        memcpy(last + BLOCK - 4, &odd, 4);
        md5_transform(checksum, last);
    }
}
