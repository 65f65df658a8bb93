/* test_caps.c: DXGK_VIDMMCAPS (vidmm.md 9): cases CAP-09, CAP-13, KMD-44. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

/* Opens a stack whose manager reports these caps. */
static void open_with(struct stack *s, uint32_t caps)
{
    struct agpu_runtime_config config = fake_runtime_config(&s->machine);

    config.vidmm.caps.value = caps;
    config.vidmm.version = AGPU_WDDM_2_9;
    stack_open(s, &config);
}

struct cross {
    struct aerogpu_wddm_alloc_priv_v2 blob;
    struct agpu_create_info info;
    struct agpu_create_request request;
};

/* A 100x5 surface of 4-byte texels, as the driver requests it. */
static void cross_init(struct cross *c)
{
    memset(c, 0, sizeof *c);
    c->blob = stack_blob(77, 2000, AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED);
    c->blob.kind = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D;
    c->blob.width = 100;
    c->blob.height = 5;
    c->blob.format = 87;
    c->blob.row_pitch_bytes = 400;
    c->info = (struct agpu_create_info){.private_data = &c->blob,
                                        .private_size = sizeof c->blob,
                                        .size = 2000,
                                        .cross_adapter = true,
                                        .mips = 1,
                                        .layers = 1};
    c->request = (struct agpu_create_request){.process = 1, .shared = true, .count = 1, .infos = &c->info};
}

TEST(CAP_09_cross_adapter_restrictions)
{
    struct stack s;
    struct cross c;
    open_with(&s, AGPU_CAP_CROSS_ADAPTER_RESOURCE);
    cross_init(&c);
    c.info.mips = 2;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.info.layers = 2;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.request.shared = false;
    c.blob.flags &= ~AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.blob.flags &= ~AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.info.segment_set = 2; /* not the aperture */
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.info.size = c.blob.size_bytes = 8 * 512 + 1; /* more than the image needs */
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.blob.row_pitch_bytes = 0;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_INVALID_PARAMETER);
    cross_init(&c);
    c.info.segment_set = 3;
    c.info.size = c.blob.size_bytes = 8 * 512;
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_SUCCESS);
    agpu_vidmm_destroy(stack_vm(&s), 1, 0, &c.info.handle, 1);
    stack_close(&s);
}

TEST(CAP_13_structure)
{
    const struct agpu_vidmm_caps caps = {.value = AGPU_CAP_OUT_OF_ORDER_LOCK};
    const uint32_t words[2] = {1, 0};
    assert_int_equal(sizeof caps, 8);
    assert_memory_equal(&caps, words, 8);
}

TEST(KMD_44_cross_adapter_of_3x5)
{
    struct agpu_cross_adapter_layout layout;
    assert_true(agpu_caps_cross_adapter_layout(3, 5, 4, &layout));
    assert_int_equal(layout.pitch, 128);
    assert_int_equal(layout.rows, 8);
    assert_int_equal(layout.size, 1024);
    assert_false(agpu_caps_cross_adapter_layout(0, 5, 4, &layout));
    assert_false(agpu_caps_cross_adapter_layout(3, 0, 4, &layout));
    assert_false(agpu_caps_cross_adapter_layout(UINT32_MAX, 5, 4, &layout));
    assert_true(agpu_caps_cross_adapter_layout(128, 4, 1, &layout));
    assert_int_equal(layout.pitch, 128); /* already a multiple: the smallest pitch that holds the row */
    assert_int_equal(layout.rows, 4);
    assert_true(
        agpu_caps_cross_adapter_layout(129, 1, 1, &layout)); /* one byte or one row more than a multiple */
    assert_int_equal(layout.pitch, 256);
    assert_int_equal(layout.rows, 4);
    assert_true(agpu_caps_cross_adapter_layout(127, 5, 1, &layout));
    assert_int_equal(layout.pitch, 128);
    assert_int_equal(layout.rows, 8);
    /* The largest possible pitch and number of rows, and one more. */
    assert_true(agpu_caps_cross_adapter_layout(0xFFFFFF80u, 0xFFFFFFFCu, 1, &layout));
    assert_int_equal(layout.pitch, 0xFFFFFF80u);
    assert_int_equal(layout.rows, 0xFFFFFFFCu);
    assert_false(agpu_caps_cross_adapter_layout(0xFFFFFF81u, 4, 1, &layout));
    assert_false(agpu_caps_cross_adapter_layout(128, 0xFFFFFFFDu, 1, &layout));
}
