/* test_libc.c: the image's mem*, str* and atoi against plain loops, with all sizes and alignments around their block
 * sizes. */
#include <limits.h>

#define memcpy  image_memcpy
#define memmove image_memmove
#define memset  image_memset
#define memcmp  image_memcmp
#include "efi/libc/memory.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

#define memchr  image_memchr
#define strlen  image_strlen
#define strcmp  image_strcmp
#define strncmp image_strncmp
#define atoi    image_atoi
#include "efi/libc/include/stdlib.h"
#include "efi/libc/include/string.h"
#include "tests/unit/test.h"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#include "efi/libc/string.c"

#define SIZE 512

static uint8_t a[SIZE], b[SIZE], expected[SIZE];

static void fill(void)
{
    for (unsigned i = 0; i < SIZE; i++) {
        a[i] = (uint8_t)(i * 7 + 1);
        b[i] = expected[i] = (uint8_t)(i * 13 + 5);
    }
}

static void check(const uint8_t *found)
{
    for (unsigned i = 0; i < SIZE; i++) {
        assert_int_equal(found[i], expected[i]);
    }
}

TEST(copying)
{
    for (size_t size = 0; size < 150; size++) {
        for (size_t shift = 0; shift < 17; shift++) {
            fill();
            for (size_t i = 0; i < size; i++) {
                expected[32 + shift + i] = a[16 + i];
            }
            assert_ptr_equal(image_memcpy(b + 32 + shift, a + 16, size), b + 32 + shift);
            check(b);
        }
    }
}

TEST(moving_over_itself)
{
    for (size_t size = 0; size < 150; size++) {
        for (size_t from = 100; from < 180; from += 3) {
            fill();
            for (size_t i = 0; i < size; i++) {
                expected[140 + i] = b[from + i];
            }
            image_memmove(b + 140, b + from, size);
            check(b);
        }
    }
}

TEST(setting)
{
    for (size_t size = 0; size < 150; size++) {
        fill();
        for (size_t i = 0; i < size; i++) {
            expected[33 + i] = 0xFE;
        }
        image_memset(b + 33, 0x1FE, size);
        check(b);
    }
}

TEST(comparing)
{
    for (size_t size = 1; size < 60; size++) {
        fill();
        image_memcpy(a, b, SIZE);
        assert_int_equal(image_memcmp(a, b, size), 0);
        a[size] ^= 0xFF; /* outside the range */
        assert_int_equal(image_memcmp(a, b, size), 0);
        a[size - 1] = (uint8_t)(b[size - 1] ^ 0x80);
        int sign = a[size - 1] > b[size - 1] ? 1 : -1;
        assert_int_equal(image_memcmp(a, b, size), sign);
        assert_int_equal(image_memcmp(b, a, size), -sign);
    }
}

TEST(strings)
{
    assert_int_equal(image_strlen(""), 0);
    assert_int_equal(image_strlen("agpu"), 4);
    assert_int_equal(image_strcmp("a", "a"), 0);
    assert_true(image_strcmp("a", "ab") < 0);
    assert_true(image_strcmp("\xFF", "a") > 0);
    assert_int_equal(image_strncmp("abc", "abd", 2), 0);
    assert_true(image_strncmp("abc", "abd", 3) < 0);
    assert_int_equal(image_strncmp("abc", "abc", 100), 0);
}

TEST(numbers)
{
    assert_int_equal(image_atoi(""), 0);
    assert_int_equal(image_atoi(" -12x"), -12);
    assert_int_equal(image_atoi("+2147483647"), INT_MAX);
    assert_int_equal(image_atoi("99999999999999999999"), INT_MAX);
    assert_int_equal(image_atoi("-99999999999999999999"), INT_MIN);
}
