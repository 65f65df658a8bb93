/* settings.h: settings of the driver stack (settings.def), as key=value lines of agpu.cfg or --set of agpu_inprocess.
 * A setting that is not given has its default. */
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

/* All zero: no setting is given. */
struct agpu_settings {
    uint32_t stated; /* bit n: setting n is given */
    uint32_t value[AGPU_SETTING_COUNT];
};

/* Result of agpu_settings_set() for a name that does not exist. */
extern const char agpu_setting_unknown[];

/* Parses one setting. Returns NULL if it was valid, agpu_setting_unknown, or what was expected; in these cases
 * nothing changes. */
const char *agpu_setting_read(struct agpu_settings *settings, const char *key, size_t key_length,
                              const char *value, size_t value_length);

const char *agpu_setting_key(enum agpu_setting setting);

static inline bool agpu_setting_is_stated(const struct agpu_settings *settings, enum agpu_setting setting)
{
    return (settings->stated >> setting & 1u) != 0;
}
/* Returns the given value or the default. */
uint32_t agpu_setting(const struct agpu_settings *settings, enum agpu_setting setting);

/* Restricts the device description to what the settings let the driver stack use. */
struct agpu_abi agpu_settings_pretend(const struct agpu_settings *settings, const struct agpu_abi *abi);
/* Applies the given settings to a configuration, except vram_mib, which is applied where BAR1 is mapped. */
void agpu_settings_apply(const struct agpu_settings *settings, struct agpu_runtime_config *config);

/* Appends "key=value" for all given settings, with blanks between. */
void agpu_settings_describe(const struct agpu_settings *settings, struct agpu_text *text);

#endif
