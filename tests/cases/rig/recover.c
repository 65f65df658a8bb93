/* recover.c: resets from outside the device's own registers (device.md 2.2). */
#include "tests/cases/rig/recover.h"

#include "pci/machine/status.h"
#include "pci/power.h"

/* The status of a step before the device is checked: AGPU_ERR_INVALID if the function does not support it. */
static enum agpu_status step_function(const struct agpu_function *function)
{
    return agpu_reset_has_function_level(function) ? agpu_reset_function(function) : AGPU_ERR_INVALID;
}

static enum agpu_status step_power(const struct agpu_function *function)
{
    const enum agpu_status status = agpu_power_set(function, AGPU_POWER_D3HOT);

    return status == AGPU_OK ? agpu_power_set(function, AGPU_POWER_D0) : status;
}

static enum agpu_status step_bus(const struct agpu_function *function)
{
    struct agpu_pci_ref bridge;

    return agpu_reset_find_bridge(function, &bridge) ? agpu_reset_bus(function, &bridge) : AGPU_ERR_INVALID;
}

/* Runs one step, and tests the device after it. */
static enum agpu_status try_step(struct agpu_env *env, enum agpu_status (*act)(const struct agpu_function *),
                                 struct agpu_text *tried)
{
    const struct agpu_function *function = &env->function;
    struct agpu_config_saved saved;
    enum agpu_status status;

    agpu_config_save(function, &saved);
    status = act(function);
    if (status == AGPU_ERR_INVALID) {
        agpu_text_string(tried, ": not offered");
        return status;
    }
    if (status == AGPU_OK) {
        agpu_config_restore(function, &saved);
        status = agpu_kmd_adapter_quiesce(&env->adapter);
    }
    if (status == AGPU_OK) {
        agpu_text_string(tried, ": quiet again");
    } else {
        agpu_format(tried, ": no, %s", agpu_status_name(status));
    }
    return status;
}

bool agpu_recover(struct agpu_env *env, struct agpu_text *tried)
{
    static const struct {
        const char *name;
        enum agpu_status (*act)(const struct agpu_function *function);
    } steps[] = {{"function reset", step_function}, {"D3 and D0", step_power}, {"bus reset", step_bus}};
    enum agpu_status status = AGPU_ERR_TIMEOUT;

    agpu_text_string(tried, "recovery: ring reset: no");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status != AGPU_OK; i++) {
        agpu_format(tried, ", %s", steps[i].name);
        status = try_step(env, steps[i].act, tried);
    }
    return status == AGPU_OK;
}
