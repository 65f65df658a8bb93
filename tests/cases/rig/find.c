/* find.c: finds a function that is known and responds. */
#include "tests/cases/rig/find.h"

#include "pci/machine/status.h"
#include "pci/power.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/scan.h"

#define KNOWN_MAX    16u
#define DISPLAYS_MAX 8u

static void list_displays(const struct agpu_platform *platform, struct agpu_text *why)
{
    struct agpu_pci_found found[DISPLAYS_MAX];
    size_t count = agpu_scan_displays(platform, found, DISPLAYS_MAX);

    agpu_text_string(why, "no AeroGPU function A3A0:0001; display functions found: ");
    if (count == 0) {
        agpu_text_string(why, "none");
    }
    for (size_t i = 0; i < count && i < DISPLAYS_MAX; i++) {
        if (i != 0) {
            agpu_text_string(why, ", ");
        }
        agpu_pci_describe(why, &found[i]);
    }
    if (count > DISPLAYS_MAX) {
        agpu_format(why, " and %zu more", count - DISPLAYS_MAX);
    }
}

enum agpu_status agpu_find_device(struct agpu_env *env, struct agpu_text *why)
{
    struct agpu_pci_found found[KNOWN_MAX];
    size_t count;
    enum agpu_status status = AGPU_ERR_NO_DEVICE;

    if (env->functions != NULL) {
        found[0] = env->functions->all[env->functions->driven];
        count = 1;
    } else {
        count = agpu_scan_known(env->platform, found, KNOWN_MAX);
    }
    if (count == 0) {
        list_displays(env->platform, why);
        return AGPU_ERR_NO_DEVICE;
    }
    for (size_t i = 0; i < count && i < KNOWN_MAX; i++) {
        if (why->length != 0) {
            agpu_text_string(why, "; ");
        }
        status = agpu_function_open(&env->function, env->platform, &found[i], why);
        if (status != AGPU_OK) {
            continue;
        }
        if (agpu_power_state(&env->function) != AGPU_POWER_D0) { /* after firmware, or an interrupted case */
            agpu_power_set(&env->function, AGPU_POWER_D0);
            agpu_function_restore(&env->function);
        }
        status = agpu_identify(&env->function, &env->abi, why);
        if (status == AGPU_OK) {
            if (env->abi.crossed) {
                env->platform->log(env->platform->ctx, AGPU_LOG_WARNING, why->buffer);
            }
            /* The first reading may switch the line to level mode, and an edge latched before that would be taken for
             * a level: read it while no case has asserted it. */
            env->platform->intx_level(env->platform->ctx, &env->function.found.ref);
            env->adapter = (struct agpu_kmd_adapter){
                .function = &env->function, .abi = &env->abi, .ring = &env->ring, .legacy = &env->legacy};
            return AGPU_OK;
        }
        agpu_function_close(&env->function);
    }
    return status;
}

void agpu_describe_abi(const struct agpu_env *env, struct agpu_text *text)
{
    agpu_format(text, "%s%u.%u", env->abi.legacy ? "legacy-" : "", agpu_abi_major(&env->abi),
                agpu_abi_minor(&env->abi));
}

void agpu_describe_device(const struct agpu_env *env, struct agpu_text *text)
{
    agpu_pci_describe(text, &env->function.found);
    agpu_text_string(text, " abi=");
    agpu_describe_abi(env, text);
    agpu_format(text, " features=0x%jx", env->abi.features);
}
