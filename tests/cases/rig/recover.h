/* recover.h: recovers a device that does not become idle, in steps, the gentlest first. */
#ifndef AGPU_CASES_RIG_RECOVER_H
#define AGPU_CASES_RIG_RECOVER_H

#include "tests/cases/rig/env.h"

/* Tries up to three steps, if the device offers them (device.md 2.2): a function level reset; D3hot and back to D0; a
 * reset of the bus. The last needs a function alone on a bus below a bridge. Makes the device idle after each
 * (device.md 4.2), and stops at the first for which that works. tried lists the result of each. Returns false if none
 * helped. */
bool agpu_recover(struct agpu_env *env, struct agpu_text *tried);

#endif
