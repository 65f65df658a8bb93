/* settings.h: what a registry value is on Windows: settings of the driver stack (vidmm.md 2.1), as key=value lines of
 * agpu.cfg or --set of agpu_inprocess. Whatever is not stated has its default. */
#ifndef AGPU_CASES_RIG_SETTINGS_H
#define AGPU_CASES_RIG_SETTINGS_H

#include "mm/runtime/config.h"
#include "pci/identify.h"

enum agpu_setting {
    AGPU_SETTING_BUDGET_MIB,           /* of segment 1 */
    AGPU_SETTING_VRAM_MIB,             /* of segment 2, 0: there is none */
    AGPU_SETTING_DMA_BUFFER_KIB,       /* of each command buffer */
    AGPU_SETTING_DMA_BUFFERS,          /* of each context */
    AGPU_SETTING_MAX_DMA_KIB,          /* of the largest submission */
    AGPU_SETTING_ALLOCATION_LIST,      /* entries */
    AGPU_SETTING_INSTANCES,            /* of a renamed allocation */
    AGPU_SETTING_TDR_DELAY_MS,         /* without progress: a hang */
    AGPU_SETTING_TDR_LIMIT,            /* so many hangs remove the device */
    AGPU_SETTING_TDR_WINDOW_S,         /* when they lie within this time */
    AGPU_SETTING_DYNAMIC_GUEST_BACKED, /* 0, 1 (umd.md 5.3) */
    AGPU_SETTING_PRESENT_LATENCY,      /* frames ahead */
    AGPU_SETTING_PRETEND_ABI,      /* minor that the driver stack is told; never more than the device has */
    AGPU_SETTING_PRETEND_FEATURES, /* mask of AEROGPU_FEATURE_* that it is told, of those that there are */
    AGPU_SETTING_WDDM,             /* enum agpu_wddm_version */
    AGPU_SETTING_VIDMM_CAPS,       /* enum agpu_vidmm_cap */
    AGPU_SETTING_PAGING_NODE,
    AGPU_SETTING_MULTI_ENGINE_AWARE, /* 0, 1 */
    AGPU_SETTING_COUNT,
};

/* All zero: nothing is stated. */
struct agpu_settings {
    uint32_t stated; /* bit n: setting n is */
    uint32_t value[AGPU_SETTING_COUNT];
};

/* There is no setting of this name. */
extern const char agpu_setting_unknown[];

/* Reads one: NULL when it was understood; agpu_setting_unknown; or what was expected, and nothing changed. */
const char *agpu_setting_read(struct agpu_settings *settings, const char *key, size_t key_length,
                              const char *value, size_t value_length);

const char *agpu_setting_key(enum agpu_setting setting);

static inline bool agpu_setting_is_stated(const struct agpu_settings *settings, enum agpu_setting setting)
{
    return (settings->stated >> setting & 1u) != 0;
}
/* What holds: the value stated, else the default. */
uint32_t agpu_setting(const struct agpu_settings *settings, enum agpu_setting setting);

/* The device as the driver stack is told of it. */
struct agpu_abi agpu_settings_pretend(const struct agpu_settings *settings, const struct agpu_abi *abi);
/* Puts what is stated into a configuration. vram_mib is left to whoever maps BAR1. */
void agpu_settings_apply(const struct agpu_settings *settings, struct agpu_runtime_config *config);

/* Appends "key=value" of all that is stated, with blanks between. */
void agpu_settings_describe(const struct agpu_settings *settings, struct agpu_text *text);

#endif
