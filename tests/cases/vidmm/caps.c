/* caps.c: DXGK_VIDMMCAPS: checked when an adapter opens, sent in the records, and the effect of each flag that this
 * device can have (vidmm.md 9). */
#include <string.h>

#include "mm/kmd/query.h"
#include "tests/cases/choice/filter.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/umd_frame.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 16384u
#define BGRA DXGI_FORMAT_B8G8R8A8_UNORM
#define T    AEROGPU_FEATURE_TRANSFER
#define S    (T | AEROGPU_FEATURE_SCANOUT)

static uint8_t pattern[SIZE];

/* ---- reported and checked ---- */

/* The adapter's record and the segments must be the device's and the memory manager's; wrong requests are refused. */
static void adapter_described(struct agpu_test *t)
{
    const struct agpu_vidmm *vm = &agpu_runtime_kmd(t->env->umd.runtime)->vm;
    const struct agpu_memory_report memory = agpu_query_memory(vm);
    struct agpu_segment_report segment = {.id = 77};
    const HANDLE adapter = agpu_runtime_adapter_handle(t->env->umd.runtime).handle;
    const D3DDDI_ADAPTERCALLBACKS *adapter_cb = agpu_runtime_adapter_callbacks(t->env->umd.runtime);
    struct aerogpu_umd_private_v1 record = {.size_bytes = 0};
    D3DDDICB_QUERYADAPTERINFO info = {&record, sizeof record - 1};

    agpu_check_hr(t, adapter_cb->pfnQueryAdapterInfoCb(adapter, NULL), E_INVALIDARG);
    agpu_check_hr(t, adapter_cb->pfnQueryAdapterInfoCb(adapter, &info), E_INVALIDARG);
    info.PrivateDriverDataSize = sizeof record;
    info.pPrivateDriverData = NULL;
    agpu_check_hr(t, adapter_cb->pfnQueryAdapterInfoCb(adapter, &info), E_INVALIDARG);
    info.pPrivateDriverData = &record;
    agpu_check_hr(t, adapter_cb->pfnQueryAdapterInfoCb(adapter, &info), S_OK);
    agpu_check_eq_u64(t, record.size_bytes, 64);
    agpu_check_eq_u64(t, record.struct_version, AEROGPU_UMDPRIV_STRUCT_VERSION_V1);
    agpu_check_eq_hex(t, record.device_features, t->env->reported.features);
    agpu_check_eq_u64(t, record.flags & AEROGPU_UMDPRIV_FLAG_HAS_VBLANK,
                      t->env->reported.features & AEROGPU_FEATURE_VBLANK ? AEROGPU_UMDPRIV_FLAG_HAS_VBLANK
                                                                         : 0);
    agpu_check(t, !agpu_query_segment(vm, 0, &segment));
    agpu_check(t, !agpu_query_segment(vm, vm->segment_count + 1, &segment));
    agpu_check_eq_u64(t, segment.id, 77);
    agpu_return_unless(agpu_check(t, agpu_query_segment(vm, AGPU_SEGMENT_SYSTEM, &segment)));
    agpu_check(t, segment.id == 1 && segment.aperture && segment.cpu_visible && segment.cache_coherent &&
                      segment.base_address == 0);
    agpu_check_eq_u64(t, segment.size, memory.non_local_bytes);
    agpu_check_eq_u64(t, memory.segment_count, vm->segment_count);
    agpu_check_eq_u64(t, memory.paging_segment, AGPU_SEGMENT_SYSTEM);
    agpu_check_eq_u64(t, memory.paging_private_size, sizeof(AGPU_DMA_PRIV));
    agpu_check_eq_u64(t, memory.local_bytes != 0, vm->segment_count > 1);
    if (vm->segment_count > 1 && agpu_check(t, agpu_query_segment(vm, AGPU_SEGMENT_VRAM, &segment))) {
        agpu_check(t, segment.id == 2 && !segment.aperture && !segment.cache_coherent);
        agpu_check_eq_u64(t, segment.size, memory.local_bytes);
    }
}

/* The reported VIDMMCAPS and PagingNode must be the configured ones, and valid. */
static void caps_reported(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_vidmm *vm = &agpu_runtime_kmd(t->env->umd.runtime)->vm;
    const struct agpu_driver_caps caps = agpu_query_driver_caps(vm);
    char line[400];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_format(&text, "VIDMMCAPS 0x%x", caps.vidmm.value);
    for (unsigned bit = 0; bit < 32; bit++) {
        if ((caps.vidmm.value >> bit & 1) != 0) {
            agpu_format(&text, " %s", agpu_caps_name(bit));
        }
    }
    agpu_format(&text, ", PagingNode %u%s, %s", caps.vidmm.paging_node,
                caps.multi_engine_aware ? "" : " (ignored: not MultiEngineAware)",
                agpu_wddm_name(caps.version));
    platform->log(platform->ctx, AGPU_LOG_INFO, line);
    agpu_metric(t, "vidmm_caps", caps.vidmm.value, "1");
    agpu_metric(t, "paging_node", caps.vidmm.paging_node, "1");
    /* The driver reports the configured flags, and they are valid. */
    agpu_check_eq_hex(t, caps.vidmm.value, agpu_setting(&t->env->settings, AGPU_SETTING_VIDMM_CAPS));
    agpu_check_eq_u64(t, caps.vidmm.paging_node, agpu_setting(&t->env->settings, AGPU_SETTING_PAGING_NODE));
    agpu_check_eq_hex(t, (uint32_t)agpu_caps_validate(&caps.vidmm, caps.version), STATUS_SUCCESS);
}

#define VA  AGPU_CAP_VIRTUAL_ADDRESSING
#define GPU AGPU_CAP_GPU_MMU
#define IO  AGPU_CAP_IO_MMU

/* An invalid combination of capability flags must be refused with the right status and a message that names the
 * flag. */
static void caps_refused(struct agpu_test *t)
{
    static const struct {
        uint32_t value, paging_node;
        enum agpu_wddm_version version;
        bool aware;
        NTSTATUS status;
        const char *names; /* a glob that matches the message */
    } rows[] = {
        {1u << 1, 0, AGPU_WDDM_WIN7, false, STATUS_INVALID_PARAMETER, "*DedicatedPagingEngine*"},
        {1u << 2, 0, AGPU_WDDM_LATER, false, STATUS_INVALID_PARAMETER, "*PagingEngineCanSwizzle*"},
        {1u << 18, 0, AGPU_WDDM_LATER, false, STATUS_INVALID_PARAMETER, "*reserves*"},
        {1u << 31, 0, AGPU_WDDM_UNSTATED, false, STATUS_INVALID_PARAMETER, "*reserves*"},
        {AGPU_CAP_SECTION_BACKED_PRIMARY, 0, AGPU_WDDM_WIN7, false, STATUS_INVALID_PARAMETER, "*reserves*"},
        {VA, 0, AGPU_WDDM_WIN10, false, STATUS_INVALID_PARAMETER, "*VirtualAddressingSupported*"},
        {GPU, 0, AGPU_WDDM_WIN10, false, STATUS_INVALID_PARAMETER, "*VirtualAddressingSupported*"},
        {VA | GPU | IO, 0, AGPU_WDDM_WIN10, false, STATUS_INVALID_PARAMETER, "*exclude*"},
        {VA | GPU, 0, AGPU_WDDM_WIN10, false, STATUS_NOT_SUPPORTED, "*MMU*"},
        {VA | IO, 0, AGPU_WDDM_WIN10, false, STATUS_NOT_SUPPORTED, "*MMU*"},
        {AGPU_CAP_CROSS_ADAPTER_TEXTURE, 0, AGPU_WDDM_2_9, false, STATUS_INVALID_PARAMETER,
         "*needs CrossAdapterResource*"},
        {AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_SCANOUT, 0, AGPU_WDDM_2_9, false,
         STATUS_INVALID_PARAMETER, "*CrossAdapterResourceTexture*"},
        {AGPU_CAP_IO_MMU_SECURE_MODE_REQUIRED, 0, AGPU_WDDM_2_7, false, STATUS_INVALID_PARAMETER,
         "*IoMmuSecureModeSupported*"},
        {AGPU_CAP_IO_MMU_SECURE_MODE, 0, AGPU_WDDM_2_7, false, STATUS_NOT_SUPPORTED, "*IOMMU*"},
        {AGPU_CAP_REPLICATE_GDI_CONTENT, 0, AGPU_WDDM_WIN10, false, STATUS_NOT_SUPPORTED,
         "*ReplicateGdiContent*"},
        {AGPU_CAP_PARAVIRTUALIZATION, 0, AGPU_WDDM_2_2, false, STATUS_NOT_SUPPORTED, "*Paravirtualization*"},
        {AGPU_CAP_DISABLE_SELF_REFRESH_IN_S3, 0, AGPU_WDDM_2_4, false, STATUS_NOT_SUPPORTED, "*SelfRefresh*"},
        {AGPU_CAP_MAP_APERTURE2, 0, AGPU_WDDM_2_9, false, STATUS_NOT_SUPPORTED, "*MapAperture2*"},
        {AGPU_CAP_ALWAYS_POWERED_VRAM, 0, AGPU_WDDM_LATER, false, STATUS_NOT_SUPPORTED, "*AlwaysPowered*"},
        {0, 1, AGPU_WDDM_WIN7, true, STATUS_INVALID_PARAMETER, "*PagingNode*"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_runtime_config config = agpu_umd_config(t->env);
        const char *why = NULL;

        config.vidmm.caps = (struct agpu_vidmm_caps){rows[i].value, rows[i].paging_node};
        config.vidmm.version = rows[i].version;
        config.vidmm.multi_engine_aware = rows[i].aware;
        agpu_check_eq_hex(
            t, (uint32_t)agpu_caps_check(&config.vidmm.caps, config.vidmm.version, rows[i].aware, &why),
            (uint32_t)rows[i].status);
        agpu_assert(t, why != NULL &&
                           agpu_glob_match(rows[i].names, rows[i].names + strlen(rows[i].names), why));
        agpu_check_eq_ptr(t, agpu_runtime_refusal(&config), why);
        if (i == 0 || rows[i].aware) { /* each leaves a line in the log */
            agpu_check_eq_ptr(t, agpu_runtime_open(&config), NULL);
        }
    }
}

/* Returns whether an adapter with these caps is refused for a bit that its version reserves. */
static bool is_reserved(struct agpu_test *t, uint32_t value, enum agpu_wddm_version version)
{
    struct agpu_runtime_config config = agpu_umd_config(t->env);
    static const char reserves[] = "*reserves*";
    const char *why;

    config.vidmm.caps = (struct agpu_vidmm_caps){value, 0};
    config.vidmm.version = version;
    why = agpu_runtime_refusal(&config);
    return why != NULL && agpu_glob_match(reserves, reserves + sizeof reserves - 1, why);
}

/* Each version must refuse the bits of its Reserved member as such, and no bit below it; PagingNode must name an engine
 * of the device up to WDDM 1.3 only. */
static void caps_versions(struct agpu_test *t)
{
    static const struct {
        enum agpu_wddm_version version;
        uint32_t reserved; /* width of the member Reserved */
    } rows[] = {
        {AGPU_WDDM_VISTA, 31}, {AGPU_WDDM_WIN8, 28}, {AGPU_WDDM_WIN8_1, 27},
        {AGPU_WDDM_WIN10, 22}, {AGPU_WDDM_2_2, 21},  {AGPU_WDDM_2_4, 19},
        {AGPU_WDDM_2_7, 18},   {AGPU_WDDM_2_9, 15},  {AGPU_WDDM_LATER, 14},
    };
    /* Bits that need others. Bits 1 and 2 are refused in every version. */
    static const uint32_t with[32] = {
        [5] = GPU,
        [6] = VA,
        [7] = VA,
        [13] = AGPU_CAP_IO_MMU_SECURE_MODE,
        [15] = AGPU_CAP_CROSS_ADAPTER_RESOURCE,
        [16] = AGPU_CAP_CROSS_ADAPTER_RESOURCE | AGPU_CAP_CROSS_ADAPTER_TEXTURE,
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t bit = 0; bit < 32; bit++) {
            const uint32_t value = 1u << bit | with[bit];

            agpu_part(t, "row %zu, bit %u", i, bit);
            if (bit == 0 || bit > 2) {
                agpu_check_eq_u64(t, is_reserved(t, value, rows[i].version),
                                  value >> (32 - rows[i].reserved) != 0);
            }
        }
    }
    agpu_part_end(t);
    for (uint32_t version = AGPU_WDDM_VISTA; version < AGPU_WDDM_VERSIONS; version++) {
        struct agpu_runtime_config config = agpu_umd_config(t->env);

        config.vidmm.version = (enum agpu_wddm_version)version;
        config.vidmm.multi_engine_aware = true;
        config.vidmm.caps = (struct agpu_vidmm_caps){0, 0};
        agpu_check_eq_ptr(t, agpu_runtime_refusal(&config), NULL);
        config.vidmm.caps.paging_node = 1;
        agpu_check_eq_u64(t, agpu_runtime_refusal(&config) != NULL, version <= AGPU_WDDM_WIN8_1);
    }
}

/* ---- PagingNode ---- */

static void node_ignored(struct agpu_runtime_config *config)
{
    config->vidmm.caps.paging_node = 5;
    config->vidmm.multi_engine_aware = false;
}

static void node_obeyed(struct agpu_runtime_config *config)
{
    config->vidmm.caps.paging_node = 0;
    config->vidmm.multi_engine_aware = true;
}

/* Evictions and their paging submissions must work with any PagingNode: they run on engine 0, the only one. */
static void paging_works(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    struct agpu_segment *segment = &agpu_runtime_kmd(t->env->umd.runtime)->vm.segments[0];
    struct agpu_client_memory memories[6];

    segment->budget = segment->committed + 2u * SIZE;
    for (uint32_t i = 0; i < 6; i++) {
        agpu_return_unless(agpu_client_alloc(t, SIZE, &memories[i]));
        agpu_fill_pattern(pattern, SIZE, 20 + i);
        agpu_return_unless(agpu_client_write(t, &memories[i], AGPU_LOCK_NOREFERENCE, pattern, SIZE));
        agpu_return_unless(agpu_client_submit(t));
    }
    agpu_client_copy(&memories[0], &memories[1]);
    agpu_return_unless(agpu_client_submit(t));
    agpu_fill_pattern(pattern, SIZE, 21);
    agpu_return_unless(agpu_client_check(t, &memories[0], pattern, SIZE));
    agpu_check(t, kmd->counters.pagings != 0);
    agpu_check_eq_u64(t, agpu_query_driver_caps(&kmd->vm).multi_engine_aware,
                      agpu_stack_case(t)->configure == node_obeyed);
}

/* ---- primaries ---- */

/* A framebuffer in the client's allocation. */
static bool read_through_lock(struct agpu_test *t, const struct agpu_frame *screen, uint32_t y, uint8_t *row)
{
    struct agpu_client_memory *memory = screen->ctx;

    if (!agpu_check_hr(t, agpu_client_lock(memory, AGPU_LOCK_READ), S_OK)) {
        return false;
    }
    memcpy(row, (const uint8_t *)memory->data + (size_t)y * screen->pitch, screen->pitch);
    return agpu_check_hr(t, agpu_client_unlock(memory), S_OK);
}

static bool fill_screen(struct agpu_test *t, struct agpu_client_memory *memory)
{
    if (!agpu_check_hr(t, agpu_client_lock(memory, AGPU_LOCK_WRITE), S_OK)) {
        return false;
    }
    memset(memory->data, AGPU_FRAME_FILL, memory->bytes);
    return agpu_check_hr(t, agpu_client_unlock(memory), S_OK);
}

static struct agpu_client_wish primary_wish(void)
{
    const uint32_t pitch = AGPU_FRAME_WIDTH * 4 + 64;

    return (struct agpu_client_wish){.bytes = pitch * AGPU_FRAME_HEIGHT,
                                     .width = AGPU_FRAME_WIDTH,
                                     .height = AGPU_FRAME_HEIGHT,
                                     .dxgi_format = BGRA,
                                     .pitch = pitch,
                                     .primary = true};
}

static void section_backed(struct agpu_runtime_config *config)
{
    config->vidmm.version = AGPU_WDDM_WIN8;
    config->vidmm.caps.value = AGPU_CAP_SECTION_BACKED_PRIMARY;
}

/* A second process must get the pages of the primary, and read there the picture that the device shows. */
static void primary_opened(struct agpu_test *t)
{
    struct agpu_client_wish wish = primary_wish();
    struct agpu_client_memory primary, again;
    struct agpu_frame screen = {.pitch = wish.pitch, .read_row = read_through_lock, .ctx = &again};

    wish.shared = true;
    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &primary), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_client_open_shared(wish.token, &again), S_OK));
    agpu_check(t, primary.allocation != again.allocation);
    agpu_check_eq_hex(t, agpu_client_address(&again), agpu_client_address(&primary));
    agpu_return_unless(fill_screen(t, &primary));
    screen.address = agpu_client_address(&primary);
    agpu_frame_show(t, &screen);
    agpu_frame_check(t, &screen);
    agpu_frame_hide(t);
    /* The scanout address stays while others need memory. */
    agpu_check_eq_hex(t, agpu_client_address(&primary), screen.address);
}

/* Without the flag that permits it, a second process must fail to open a shared primary. */
static void primary_not_opened(struct agpu_test *t)
{
    struct agpu_client_wish wish = primary_wish();
    struct agpu_client_memory primary, again;

    wish.shared = true;
    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &primary), S_OK));
    agpu_check_hr(t, agpu_client_open_shared(wish.token, &again), E_FAIL);
}

static void invisible_primary(struct agpu_runtime_config *config)
{
    config->vidmm.version = AGPU_WDDM_WIN10;
    config->vidmm.caps.value = AGPU_CAP_NON_CPU_VISIBLE_PRIMARY;
}

/* An allocation without CPU access must refuse locks, while the device writes and reads it as usual. */
static void primary_invisible(struct agpu_test *t)
{
    struct agpu_client_wish wish = {.bytes = SIZE, .primary = true};
    struct agpu_client_memory primary, before, after;
    const bool visible = agpu_stack_case(t)->configure == NULL;

    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &primary), S_OK));
    agpu_client_make_buffer(&primary);
    agpu_return_unless(agpu_client_alloc(t, SIZE, &before) && agpu_client_alloc(t, SIZE, &after));
    agpu_return_unless(agpu_client_submit(t));
    agpu_fill_pattern(pattern, SIZE, 30);
    agpu_return_unless(agpu_client_write(t, &before, 0, pattern, SIZE));
    agpu_client_copy(&primary, &before);
    agpu_client_copy(&after, &primary);
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_client_check(t, &after, pattern, SIZE));
    agpu_check_hr(t, agpu_client_lock(&primary, AGPU_LOCK_READ), visible ? S_OK : E_FAIL);
    if (visible) {
        agpu_check_eq_mem(t, primary.data, pattern, SIZE);
        agpu_check_hr(t, agpu_client_unlock(&primary), S_OK);
    }
}

#define CASE_WITH(name, feature_bits, function, how)                                                         \
    AGPU_STACK_CASE("vidmm.caps." name, "vidmm.md 9", feature_bits, 0, .body = function, .client = true,     \
                    .configure = how)

static const struct agpu_case vidmm_caps_cases[] = {
    AGPU_STACK_CASE("vidmm.caps.adapter", "vidmm.md 10", 0, 0, .body = adapter_described),
    AGPU_STACK_CASE("vidmm.caps.reported", "vidmm.md 9", 0, 0, .body = caps_reported),
    AGPU_STACK_CASE("vidmm.caps.refused", "vidmm.md 9", 0, 0, .body = caps_refused),
    AGPU_STACK_CASE("vidmm.caps.versions", "vidmm.md 9", 0, 0, .body = caps_versions),
    CASE_WITH("paging_node_ignored", T, paging_works, node_ignored),
    CASE_WITH("paging_node_obeyed", T, paging_works, node_obeyed),
    CASE_WITH("section_backed_primary", S, primary_opened, section_backed),
    CASE_WITH("primary_is_not_opened", 0, primary_not_opened, NULL),
    CASE_WITH("invisible_primary", T, primary_invisible, invisible_primary),
    CASE_WITH("visible_primary", T, primary_invisible, NULL),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_caps, vidmm_caps_cases);
