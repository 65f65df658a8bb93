/* recover.h: a device that does not get quiet is brought back in steps, the gentlest first. */
#ifndef AGPU_CASES_RIG_RECOVER_H
#define AGPU_CASES_RIG_RECOVER_H

#include "tests/cases/rig/env.h"

/* Tries function level reset, D3hot and back to D0, and, where the function is alone behind a bridge, a reset of that bus, as
 * far as it offers them (device.md 2.2). After each the device is made quiet (device.md 4.2); the first after which that is
 * possible ends it. tried says what came of each. False: none helped. */
bool agpu_recover(struct agpu_env *env, struct agpu_text *tried);

#endif
