/* settings.h: settings of the driver stack (settings.def), as key=value lines of agpu.cfg or --set of agpu_inprocess. A setting
 * that is not stated has its default. */
#ifndef AGPU_CASES_RIG_SETTINGS_H
#define AGPU_CASES_RIG_SETTINGS_H

#include "mm/runtime/config.h"
#include "pci/identify.h"

enum agpu_setting {
#define SETTING(name, ...) AGPU_SETTING_##name,
#include "tests/cases/rig/settings.def"
#undef SETTING
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
