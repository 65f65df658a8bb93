/* settings.c: reads and applies the settings of settings.def. */
#include "tests/cases/rig/settings.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/require.h"

/* The syntax of a value. */
enum setting_form {
    FORM_NUMBER,   /* decimal, or hexadecimal after 0x */
    FORM_SWITCH,   /* off, on */
    FORM_ABI,      /* 1.N */
    FORM_FEATURES, /* words as in require= */
    FORM_WDDM,     /* 1.1 */
};

static const struct {
    const char *key;
    enum setting_form form;
    uint32_t least, most, usual;
    const char *expected;
} settings_rows[AGPU_SETTING_COUNT] = {
#define SETTING(name, key, shown, form, least, most, usual, expected, help)                                  \
    {#key, FORM_##form, least, most, usual, expected},
#include "tests/cases/rig/settings.def"
#undef SETTING
};

const char agpu_setting_unknown[] = "no such key";

static bool text_is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static bool read_number(const char *text, size_t length, uint32_t *out)
{
    uint32_t base = length > 2 && text[0] == '0' && text[1] == 'x' ? 16 : 10;
    uint64_t value = 0;

    for (size_t i = base == 16 ? 2 : 0; i < length; i++) {
        char c = text[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : base;

        value = value * base + digit;
        if (digit >= base || value > UINT32_MAX) {
            return false;
        }
    }
    *out = (uint32_t)value;
    return length != 0;
}

static bool read_version(const char *text, size_t length, uint32_t *out)
{
    for (uint32_t version = AGPU_WDDM_VISTA; version < AGPU_WDDM_VERSIONS; version++) {
        if (text_is(text, length, agpu_wddm_name((enum agpu_wddm_version)version) + strlen("WDDM "))) {
            *out = version;
            return true;
        }
    }
    return false;
}

static bool read_form(enum setting_form form, const char *text, size_t length, uint32_t *out)
{
    uint64_t features = 0;
    bool good = false;

    switch (form) {
    case FORM_NUMBER:
        return read_number(text, length, out);
    case FORM_SWITCH:
        *out = text_is(text, length, "on");
        return *out != 0 || text_is(text, length, "off");
    case FORM_ABI:
        return length > 2 && memcmp(text, "1.", 2) == 0 && read_number(text + 2, length - 2, out);
    case FORM_FEATURES:
        good = agpu_requirement_read(text, length, UINT32_MAX, &features) && features <= UINT32_MAX;
        *out = (uint32_t)features;
        return good;
    case FORM_WDDM:
        return read_version(text, length, out);
    }
    return false;
}

const char *agpu_setting_read(struct agpu_settings *settings, const char *key, size_t key_length,
                              const char *value, size_t value_length)
{
    for (uint32_t i = 0; i < AGPU_SETTING_COUNT; i++) {
        uint32_t read = 0;

        if (!text_is(key, key_length, settings_rows[i].key)) {
            continue;
        }
        if (!read_form(settings_rows[i].form, value, value_length, &read) ||
            (settings_rows[i].most != 0 && (read < settings_rows[i].least || read > settings_rows[i].most))) {
            return settings_rows[i].expected;
        }
        settings->stated |= 1u << i;
        settings->value[i] = read;
        return NULL;
    }
    return agpu_setting_unknown;
}

const char *agpu_setting_key(enum agpu_setting setting)
{
    return settings_rows[setting].key;
}

uint32_t agpu_setting(const struct agpu_settings *settings, enum agpu_setting setting)
{
    return agpu_setting_is_stated(settings, setting) ? settings->value[setting]
                                                     : settings_rows[setting].usual;
}

struct agpu_abi agpu_settings_pretend(const struct agpu_settings *settings, const struct agpu_abi *abi)
{
    struct agpu_abi reported = *abi;
    uint32_t minor = agpu_setting(settings, AGPU_SETTING_PRETEND_ABI);

    if (abi->legacy) {
        return reported; /* there is only one version */
    }
    if (minor < agpu_abi_minor(abi)) {
        reported.version = (uint32_t)agpu_abi_major(abi) << 16 | minor;
        /* Remove the features that are newer than this minor. */
        reported.features &= ~(uint64_t)(minor < 1   ? AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
                                         : minor < 3 ? AEROGPU_FEATURE_ERROR_INFO
                                                     : 0);
    }
    if (agpu_setting_is_stated(settings, AGPU_SETTING_PRETEND_FEATURES)) {
        reported.features &= settings->value[AGPU_SETTING_PRETEND_FEATURES];
    }
    return reported;
}

void agpu_settings_apply(const struct agpu_settings *settings, struct agpu_runtime_config *config)
{
    /* Zero is the default of each of these members too. */
    const uint32_t *value = settings->value;

    config->vidmm.budget = (uint64_t)value[AGPU_SETTING_BUDGET_MIB] << 20;
    config->vidmm.instance_limit = value[AGPU_SETTING_INSTANCES];
    config->vidmm.version = (enum agpu_wddm_version)value[AGPU_SETTING_WDDM];
    config->vidmm.caps.value = value[AGPU_SETTING_VIDMM_CAPS];
    config->vidmm.caps.paging_node = value[AGPU_SETTING_PAGING_NODE];
    config->vidmm.multi_engine_aware = value[AGPU_SETTING_MULTI_ENGINE_AWARE] != 0;
    config->command_buffer_bytes = value[AGPU_SETTING_DMA_BUFFER_KIB] << 10;
    config->command_buffers = value[AGPU_SETTING_DMA_BUFFERS];
    config->allocation_list = value[AGPU_SETTING_ALLOCATION_LIST];
    config->present_latency = value[AGPU_SETTING_PRESENT_LATENCY];
    config->kmd.max_dma_bytes = value[AGPU_SETTING_MAX_DMA_KIB] << 10;
    config->kmd.tdr_limit = value[AGPU_SETTING_TDR_LIMIT];
    config->kmd.tdr_window_ns = value[AGPU_SETTING_TDR_WINDOW_S] * UINT64_C(1000000000);
    if (agpu_setting_is_stated(settings, AGPU_SETTING_TDR_DELAY_MS)) {
        config->kmd.tdr_timeout_ns = value[AGPU_SETTING_TDR_DELAY_MS] * UINT64_C(1000000);
    }
    config->options.dynamic_guest_backed = value[AGPU_SETTING_DYNAMIC_GUEST_BACKED] != 0;
}

void agpu_settings_describe(const struct agpu_settings *settings, struct agpu_text *text)
{
    const char *before = "";

    for (uint32_t i = 0; i < AGPU_SETTING_COUNT; i++) {
        if (!agpu_setting_is_stated(settings, (enum agpu_setting)i)) {
            continue;
        }
        agpu_format(text, "%s%s=", before, settings_rows[i].key);
        switch (settings_rows[i].form) {
        case FORM_ABI:
            agpu_format(text, "1.%u", settings->value[i]);
            break;
        case FORM_SWITCH:
            agpu_text_string(text, settings->value[i] != 0 ? "on" : "off");
            break;
        case FORM_WDDM:
            agpu_text_string(text,
                             agpu_wddm_name((enum agpu_wddm_version)settings->value[i]) + strlen("WDDM "));
            break;
        case FORM_FEATURES:
            agpu_format(text, "0x%x", settings->value[i]);
            break;
        case FORM_NUMBER:
            agpu_format(text, "%u", settings->value[i]);
            break;
        }
        before = " ";
    }
}
