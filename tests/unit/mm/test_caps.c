/* test_caps.c: DXGK_VIDMMCAPS (vidmm.md 9): cases CAP-01 .. CAP-14, KMD-43, KMD-44. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

static NTSTATUS validate(uint32_t value, enum agpu_wddm_version version)
{
    const struct agpu_vidmm_caps caps = {.value = value};

    return agpu_caps_validate(&caps, version);
}

#define ACCEPTED(value, version) assert_int_equal(validate(value, version), STATUS_SUCCESS)
#define REJECTED(value, version) assert_int_equal(validate(value, version), STATUS_INVALID_PARAMETER)

TEST(CAP_01_default_reports_nothing)
{
    struct stack s;
    stack_open(&s, NULL);
    assert_int_equal(stack_vm(&s)->config.caps.value, 0);
    assert_int_equal(stack_vm(&s)->config.caps.paging_node, 0);
    stack_close(&s);
}

TEST(CAP_02_reserved_bits)
{
    REJECTED(1u << 1, AGPU_WDDM_LATER);
    REJECTED(1u << 2, AGPU_WDDM_LATER);
    REJECTED(1u << 1, AGPU_WDDM_WIN7);
    for (uint32_t bit = 18; bit < 32; bit++) {
        REJECTED(1u << bit, AGPU_WDDM_LATER);
    }
}

TEST(CAP_03_windows7_knows_three_bits)
{
    for (uint32_t bit = 3; bit <= 17; bit++) {
        REJECTED(1u << bit, AGPU_WDDM_WIN7);
    }
    ACCEPTED(AGPU_CAP_OUT_OF_ORDER_LOCK, AGPU_WDDM_WIN7);
}

TEST(CAP_04_virtual_addressing_pairs)
{
    const uint32_t va = AGPU_CAP_VIRTUAL_ADDRESSING, gpu = AGPU_CAP_GPU_MMU, io = AGPU_CAP_IO_MMU;
    REJECTED(gpu | io, AGPU_WDDM_WIN10);
    REJECTED(va | gpu | io, AGPU_WDDM_WIN10);
    REJECTED(va, AGPU_WDDM_WIN10);
    REJECTED(gpu, AGPU_WDDM_WIN10);
    REJECTED(io, AGPU_WDDM_WIN10);
    ACCEPTED(va | gpu, AGPU_WDDM_WIN10);
    ACCEPTED(va | io, AGPU_WDDM_WIN10);
}

TEST(CAP_05_dependent_bits)
{
    const uint32_t tier1 = AGPU_CAP_CROSS_ADAPTER_RESOURCE, tier2 = AGPU_CAP_CROSS_ADAPTER_TEXTURE,
                   tier3 = AGPU_CAP_CROSS_ADAPTER_SCANOUT;
    REJECTED(tier2, AGPU_WDDM_LATER);
    REJECTED(tier3, AGPU_WDDM_LATER);
    REJECTED(tier3 | tier1, AGPU_WDDM_LATER);
    REJECTED(tier3 | tier2, AGPU_WDDM_LATER);
    ACCEPTED(tier1, AGPU_WDDM_LATER);
    ACCEPTED(tier1 | tier2, AGPU_WDDM_LATER);
    ACCEPTED(tier1 | tier2 | tier3, AGPU_WDDM_LATER);
    REJECTED(AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED, AGPU_WDDM_LATER);
    ACCEPTED(AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED | AGPU_CAP_IO_MMU_SECURE_MODE, AGPU_WDDM_LATER);
}

TEST(CAP_06_14_paging_node_is_ignored)
{
    const struct agpu_vidmm_caps win7 = {.paging_node = 5}, later = {.paging_node = 7};
    assert_int_equal(agpu_caps_validate(&win7, AGPU_WDDM_WIN7), STATUS_SUCCESS);
    assert_int_equal(agpu_caps_validate(&later, AGPU_WDDM_2_2), STATUS_SUCCESS);
}

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

TEST(CAP_07_cross_adapter_layout)
{
    struct stack s;
    struct cross c;
    open_with(&s, AGPU_CAP_CROSS_ADAPTER_RESOURCE);
    cross_init(&c);
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_SUCCESS);
    assert_int_equal(c.blob.row_pitch_bytes, 512);
    assert_int_equal(c.info.size, 4096);
    assert_int_equal(c.blob.size_bytes, 4096);
    assert_true(c.blob.share_token != 0);
    struct agpu_lock_request lock = {.process = 1, .handle = c.info.handle};
    assert_int_equal(agpu_vidmm_lock(stack_vm(&s), &lock), STATUS_SUCCESS);
    assert_int_equal((uintptr_t)lock.data % 4096, 0);
    assert_int_equal(lock.pitch, 512);
    assert_int_equal(lock.slice_pitch, 8 * 512);
    agpu_vidmm_unlock(stack_vm(&s), 1, c.info.handle);
    agpu_vidmm_destroy(stack_vm(&s), 1, 0, &c.info.handle, 1);
    stack_close(&s);
}

TEST(CAP_08_cross_adapter_needs_the_bit)
{
    struct stack s;
    struct cross c;
    open_with(&s, 0);
    cross_init(&c);
    assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request), STATUS_NOT_SUPPORTED);
    stack_close(&s);
}

/* Each tier allows its uses. Scanout allows only the formats of the list. */
TEST(cross_adapter_tiers)
{
    static const uint32_t tiers[] = {
        AGPU_CAP_CROSS_ADAPTER_RESOURCE, AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_TEXTURE,
        AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_TEXTURE | AGPU_CAP_CROSS_ADAPTER_SCANOUT};
    static const struct {
        uint32_t format;
        bool shown;
    } formats[] = {{87, true}, {91, true}, {28, true}, {29, true}, {88, false}, {85, false}, {2, false}};

    for (uint32_t tier = 0; tier < 3; tier++) {
        for (uint32_t use = 0; use < 4 * 7; use++) {
            const bool texture = use & 1, primary = use & 2;
            struct stack s;
            struct cross c;

            open_with(&s, tiers[tier]);
            cross_init(&c);
            c.info.texture = texture;
            c.info.primary = primary;
            c.blob.format = formats[use / 4].format;
            const bool allowed =
                (!texture || tier >= 1) && (!primary || (tier == 2 && formats[use / 4].shown));
            assert_int_equal(agpu_vidmm_create(stack_vm(&s), &c.request),
                             allowed ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED);
            if (allowed) {
                agpu_vidmm_destroy(stack_vm(&s), 1, 0, &c.info.handle, 1);
            }
            stack_close(&s);
        }
    }
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

TEST(CAP_10_non_cpu_visible_primary)
{
    struct stack s;
    open_with(&s, AGPU_CAP_NON_CPU_VISIBLE_PRIMARY);
    struct surface primary = stack_allocate(&s, 4096, PRIMARY), plain = stack_allocate(&s, 4096, PLAIN);
    assert_int_equal(stack_try_lock(&s, &primary, 0, NULL), E_FAIL);
    stack_fill(&s, &plain, 1);
    stack_free(&s, &primary);
    stack_free(&s, &plain);
    stack_close(&s);
    open_with(&s, 0);
    primary = stack_allocate(&s, 4096, PRIMARY);
    stack_fill(&s, &primary, 1);
    stack_free(&s, &primary);
    stack_close(&s);
}

TEST(CAP_11_section_backed_primary)
{
    struct stack s;
    D3DKMT_HANDLE alias = 0;
    open_with(&s, AGPU_CAP_SECTION_BACKED_PRIMARY);
    struct surface primary = stack_allocate(&s, 4096, PRIMARY | SHARED);
    stack_fill(&s, &primary, 0x42);
    stack_submit_with(&s, primary.handle, false);
    uint64_t scanout = fake_entries(fake_last(&s.machine))[0].gpa;
    struct agpu_runtime_device *other = agpu_runtime_device_create(s.runtime, 2);
    assert_int_equal(agpu_runtime_open_shared(other, primary.token, &alias, NULL, NULL), S_OK);
    D3DDDICB_LOCK lock = {.hAllocation = alias, .Flags = {.Value = LOCK_READ}};
    assert_int_equal(s.cb->pfnLockCb(other, &lock), S_OK);
    assert_int_equal(*(uint8_t *)lock.pData, 0x42);
    assert_ptr_equal(lock.pData, fake_cpu(scanout));
    D3DDDICB_UNLOCK unlock = {.hAllocation = alias};
    assert_int_equal(s.cb->pfnUnlockCb(other, &unlock), S_OK);
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s.cb->pfnDeallocateCb(other, &close), S_OK);
    agpu_runtime_device_destroy(other);
    stack_free(&s, &primary);
    stack_close(&s);

    open_with(&s, 0); /* without the bit a primary cannot be opened a second time */
    primary = stack_allocate(&s, 4096, PRIMARY | SHARED);
    assert_int_equal(agpu_runtime_open_shared(s.device, primary.token, &alias, NULL, NULL), E_FAIL);
    stack_free(&s, &primary);
    stack_close(&s);
}

TEST(CAP_12_every_version)
{
    const struct {
        enum agpu_wddm_version version;
        uint32_t highest, needs; /* bits that the highest bit requires */
    } rows[] = {
        {AGPU_WDDM_VISTA, 0, 0},
        {AGPU_WDDM_WIN8, 3, 0},
        {AGPU_WDDM_WIN8_1, 4, 0},
        {AGPU_WDDM_WIN10, 9, 0},
        {AGPU_WDDM_2_2, 10, 0},
        {AGPU_WDDM_2_4, 12, 0},
        {AGPU_WDDM_2_7, 13, AGPU_CAP_IO_MMU_SECURE_MODE},
        {AGPU_WDDM_2_9, 16, AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_TEXTURE},
        {AGPU_WDDM_LATER, 17, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ACCEPTED(1u << rows[i].highest | rows[i].needs, rows[i].version);
        REJECTED(2u << rows[i].highest | rows[i].needs, rows[i].version);
    }
    ACCEPTED(1u, AGPU_WDDM_WIN7);
    REJECTED(1u << 3, AGPU_WDDM_WIN7);
    assert_int_equal(agpu_caps_defined(AGPU_WDDM_WIN7), 7);
    assert_int_equal(validate(0, AGPU_WDDM_VERSIONS), STATUS_INVALID_PARAMETER);
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
