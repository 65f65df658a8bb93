/* test_abi_macros.c: the function-like macros of the allocation private data (ring.md 10), which a table of
 * numbers cannot hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"

/* ring.md 10: format in bits 0-31, width in 32-47, height in 48-62, bit 63 set. */
static void description_packs_every_field(void **state)
{
    const uint64_t desc = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(0x12345678u, 0xABCDu, 0x1234u);

    (void)state;
    assert_int_equal(desc, 0x9234ABCD12345678ull);
    assert_true(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc));
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc), 0x12345678u);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc), 0xABCDu);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc), 0x1234u);
}

/* ring.md 10: & FFFF and & 7FFF: a size that does not fit must not spill into its neighbour. */
static void description_masks_sizes(void **state)
{
    const uint64_t desc = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(21, 0x10001u, 0x8001u);

    (void)state;
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc), 21);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc), 1);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc), 1);
    assert_true(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc));
}

/* ring.md 10: without bit 63 the field is a row pitch. */
static void pitch_is_no_description(void **state)
{
    (void)state;
    assert_false(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(0x7FFFFFFFFFFFFFFFull));
    assert_false(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(4096u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_packs_every_field),
        cmocka_unit_test(description_masks_sizes),
        cmocka_unit_test(pitch_is_no_description),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
