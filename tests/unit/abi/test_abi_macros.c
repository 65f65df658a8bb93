/* test_abi_macros.c: the function-like macros of the allocation private data (ring.md 10), which a table of
 * numbers cannot hold. */
#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/unit/test.h"

/* ring.md 10: format in bits 0-31, width in 32-47, height in 48-62, bit 63 set. */
TEST(description_packs_every_field)
{
    const uint64_t desc = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(0x12345678u, 0xABCDu, 0x1234u);

    assert_int_equal(desc, 0x9234ABCD12345678ull);
    assert_true(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc));
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc), 0x12345678u);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc), 0xABCDu);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc), 0x1234u);
}

/* ring.md 10: & FFFF and & 7FFF: a size that does not fit must not spill into its neighbour. */
TEST(description_masks_sizes)
{
    const uint64_t desc = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(21, 0x10001u, 0x8001u);

    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_FORMAT(desc), 21);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_WIDTH(desc), 1);
    assert_int_equal(AEROGPU_WDDM_ALLOC_PRIV_DESC_HEIGHT(desc), 1);
    assert_true(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(desc));
}

/* ring.md 10: without bit 63 the field is a row pitch. */
TEST(pitch_is_no_description)
{
    assert_false(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(0x7FFFFFFFFFFFFFFFull));
    assert_false(AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(4096u));
}
