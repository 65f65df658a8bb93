/* test_settings.c: each setting of the driver stack: both bounds, the default, the resulting configuration and the
 * recorded text (vidmm.md 2.1). */
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/settings.h"
#include "tests/unit/test.h"

#define ALL_FEATURES                                                                                         \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |                         \
     AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)

static const char *set(struct agpu_settings *settings, const char *key, const char *value)
{
    return agpu_setting_read(settings, key, strlen(key), value, strlen(value));
}

static struct agpu_settings only(const char *key, const char *value)
{
    struct agpu_settings settings = {0};

    assert_null(set(&settings, key, value));
    return settings;
}

static void refused(const char *key, const char *value)
{
    struct agpu_settings settings = {0};
    static const struct agpu_settings nothing;
    const char *expected = set(&settings, key, value);

    assert_non_null(expected);
    assert_ptr_not_equal(expected, agpu_setting_unknown);
    assert_memory_equal(expected, "expected ", 9); /* the texts start with this */
    assert_memory_equal(&settings, &nothing, sizeof nothing);
}

TEST(numbers_have_bounds)
{
    static const struct {
        const char *key;
        enum agpu_setting setting;
        uint32_t least, most, usual;
    } rows[] = {
        {"budget_mib", AGPU_SETTING_BUDGET_MIB, 128, 2048, 512},
        {"vram_mib", AGPU_SETTING_VRAM_MIB, 0, 4096, 0},
        {"dma_buffer_kib", AGPU_SETTING_DMA_BUFFER_KIB, 16, 4096, 256},
        {"dma_buffers", AGPU_SETTING_DMA_BUFFERS, 2, 64, 4},
        {"max_dma_kib", AGPU_SETTING_MAX_DMA_KIB, 256, 262144, 32768},
        {"allocation_list", AGPU_SETTING_ALLOCATION_LIST, 64, 65535, 1024},
        {"instances", AGPU_SETTING_INSTANCES, 2, 8, 4},
        {"tdr_delay_ms", AGPU_SETTING_TDR_DELAY_MS, 50, 60000, 2000},
        {"tdr_limit", AGPU_SETTING_TDR_LIMIT, 1, 8, 2},
        {"tdr_window_s", AGPU_SETTING_TDR_WINDOW_S, 1, 3600, 60},
        {"present_latency", AGPU_SETTING_PRESENT_LATENCY, 1, 16, 3},
        {"vidmm_caps", AGPU_SETTING_VIDMM_CAPS, 0, UINT32_MAX, 0},
        {"paging_node", AGPU_SETTING_PAGING_NODE, 0, UINT32_MAX, 0},
    };
    static const struct agpu_settings nothing;
    char text[32];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t good[] = {rows[i].least, rows[i].most};

        assert_int_equal(agpu_setting(&nothing, rows[i].setting), rows[i].usual);
        for (uint32_t k = 0; k < 2; k++) {
            snprintf(text, sizeof text, k ? "0x%X" : "%u", good[k]);
            struct agpu_settings settings = only(rows[i].key, text);
            assert_int_equal(agpu_setting(&settings, rows[i].setting), good[k]);
            assert_int_equal(settings.stated, 1u << rows[i].setting);
        }
        snprintf(text, sizeof text, "%lld", (long long)rows[i].least - 1);
        refused(rows[i].key, text);
        snprintf(text, sizeof text, "%llu", rows[i].most + 1ull);
        refused(rows[i].key, text);
        refused(rows[i].key, "");
        refused(rows[i].key, "0x");
        refused(rows[i].key, "12c");
        refused(rows[i].key, "on");
    }
    refused("vidmm_caps", "18446744073709551617"); /* wraps to 1 in 64 bits */
    assert_int_equal(only("vidmm_caps", "0xAbCdEf09").value[AGPU_SETTING_VIDMM_CAPS], 0xABCDEF09u);
}

TEST(words)
{
    static const char *const versions[] = {"1.0", "1.1", "1.2", "1.3", "2.0",
                                           "2.2", "2.4", "2.7", "2.9", "3.0"};
    struct agpu_settings settings = {0};

    assert_int_equal(only("dynamic_guest_backed", "on").value[AGPU_SETTING_DYNAMIC_GUEST_BACKED], 1);
    assert_int_equal(only("dynamic_guest_backed", "off").stated, 1u << AGPU_SETTING_DYNAMIC_GUEST_BACKED);
    assert_int_equal(only("multi_engine_aware", "on").value[AGPU_SETTING_MULTI_ENGINE_AWARE], 1);
    refused("dynamic_guest_backed", "1");
    refused("multi_engine_aware", "offf");
    assert_int_equal(only("pretend_abi", "1.0").value[AGPU_SETTING_PRETEND_ABI], 0);
    assert_int_equal(only("pretend_abi", "1.65535").value[AGPU_SETTING_PRETEND_ABI], 65535);
    refused("pretend_abi", "1.65536");
    refused("pretend_abi", "2.1");
    refused("pretend_abi", "1.");
    refused("pretend_abi", "1");
    for (uint32_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        assert_int_equal(only("wddm", versions[i]).value[AGPU_SETTING_WDDM], AGPU_WDDM_VISTA + i);
    }
    refused("wddm", "2.1");
    refused("wddm", "");
    assert_int_equal(only("pretend_features", "none").value[AGPU_SETTING_PRETEND_FEATURES], 0);
    assert_int_equal(only("pretend_features", "vblank,transfer").value[AGPU_SETTING_PRETEND_FEATURES],
                     AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER);
    refused("pretend_features", "vblanc");
    assert_ptr_equal(set(&settings, "budget", "128"), agpu_setting_unknown);
    assert_ptr_equal(set(&settings, "budget_mib_", "128"), agpu_setting_unknown);
    assert_ptr_equal(set(&settings, "", "128"), agpu_setting_unknown);
    assert_int_equal(settings.stated, 0);
}

/* Each setting changes its own member, and no other. */
TEST(what_is_stated_holds)
{
    struct agpu_settings settings = {0};
    struct agpu_runtime_config config = {0};

    assert_null(set(&settings, "budget_mib", "2048"));
    assert_null(set(&settings, "dma_buffer_kib", "4096"));
    assert_null(set(&settings, "dma_buffers", "5"));
    assert_null(set(&settings, "max_dma_kib", "262144"));
    assert_null(set(&settings, "allocation_list", "77"));
    assert_null(set(&settings, "instances", "7"));
    assert_null(set(&settings, "tdr_delay_ms", "60000"));
    assert_null(set(&settings, "tdr_limit", "8"));
    assert_null(set(&settings, "tdr_window_s", "3600"));
    assert_null(set(&settings, "dynamic_guest_backed", "on"));
    assert_null(set(&settings, "present_latency", "9"));
    assert_null(set(&settings, "wddm", "2.0"));
    assert_null(set(&settings, "vidmm_caps", "0x8"));
    assert_null(set(&settings, "paging_node", "3"));
    assert_null(set(&settings, "multi_engine_aware", "on"));
    agpu_settings_apply(&settings, &config);
    assert_int_equal(config.vidmm.budget, 2048ull << 20); /* needs more than 31 bits */
    assert_int_equal(config.command_buffer_bytes, 4096u << 10);
    assert_int_equal(config.command_buffers, 5);
    assert_int_equal(config.kmd.max_dma_bytes, 262144u << 10);
    assert_int_equal(config.allocation_list, 77);
    assert_int_equal(config.vidmm.instance_limit, 7);
    assert_int_equal(config.kmd.tdr_timeout_ns, 60000000000ull);
    assert_int_equal(config.kmd.tdr_limit, 8);
    assert_int_equal(config.kmd.tdr_window_ns, 3600000000000ull);
    assert_int_equal(config.options.dynamic_guest_backed, 1);
    assert_int_equal(config.present_latency, 9);
    assert_int_equal(config.vidmm.version, AGPU_WDDM_VISTA + 4);
    assert_int_equal(config.vidmm.caps.value, 8);
    assert_int_equal(config.vidmm.caps.paging_node, 3);
    assert_true(config.vidmm.multi_engine_aware);
}

/* A delay in the configuration stays if the setting is not stated: cases shorten it. */
TEST(what_is_not_stated_stays)
{
    const struct agpu_settings nothing = {0};
    struct agpu_runtime_config config = {.kmd.tdr_timeout_ns = 5};

    agpu_settings_apply(&nothing, &config);
    assert_int_equal(config.kmd.tdr_timeout_ns, 5);
    assert_int_equal(config.vidmm.budget | config.command_buffers | config.allocation_list,
                     0); /* each has its default */
}

TEST(pretending_takes_away_only)
{
    const struct agpu_abi device = {.version = 0x10003, .features = ALL_FEATURES | 1ull << 40};
    const struct {
        const char *minor;
        uint32_t version;
        uint64_t gone;
    } rows[] = {{"1.0", 0x10000, AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO},
                {"1.1", 0x10001, AEROGPU_FEATURE_ERROR_INFO},
                {"1.2", 0x10002, AEROGPU_FEATURE_ERROR_INFO},
                {"1.3", 0x10003, 0},
                {"1.4", 0x10003, 0}};
    struct agpu_settings settings = {0};
    struct agpu_abi told = agpu_settings_pretend(&settings, &device);

    assert_int_equal(told.version, device.version);
    assert_int_equal(told.features, device.features);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        settings = only("pretend_abi", rows[i].minor);
        told = agpu_settings_pretend(&settings, &device);
        assert_int_equal(told.version, rows[i].version);
        assert_int_equal(told.features, device.features & ~rows[i].gone);
    }
    settings = only("pretend_features", "cursor,error_info");
    told = agpu_settings_pretend(
        &settings, &(const struct agpu_abi){.version = 0x10004, .features = AEROGPU_FEATURE_CURSOR});
    assert_int_equal(told.features, AEROGPU_FEATURE_CURSOR); /* features that the device lacks stay off */
    settings = only("pretend_features", "none");
    assert_int_equal(agpu_settings_pretend(&settings, &device).features, 0);
    const struct agpu_abi legacy = {.version = 0x10003, .features = AEROGPU_FEATURE_VBLANK, .legacy = true};
    assert_int_equal(agpu_settings_pretend(&settings, &legacy).features, AEROGPU_FEATURE_VBLANK);
}

TEST(reported_again)
{
    struct agpu_settings settings = {0};
    char buffer[256];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_settings_describe(&settings, &text);
    assert_string_equal(buffer, "");
    assert_null(set(&settings, "budget_mib", "0x80"));
    assert_null(set(&settings, "dynamic_guest_backed", "off"));
    assert_null(set(&settings, "pretend_abi", "1.2"));
    assert_null(set(&settings, "wddm", "2.9"));
    assert_null(set(&settings, "multi_engine_aware", "on"));
    agpu_settings_describe(&settings, &text);
    assert_string_equal(
        buffer, "budget_mib=128 dynamic_guest_backed=off pretend_abi=1.2 wddm=2.9 multi_engine_aware=on");
}
