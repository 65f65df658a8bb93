/* prepare.h: puts the device into a known state before a case and releases what the case used. */
#ifndef AGPU_CASES_RIG_PREPARE_H
#define AGPU_CASES_RIG_PREPARE_H

#include "tests/cases/harness/fixture.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/restart.h"

/* The fixture for the runner. */
extern const struct agpu_fixture agpu_device_fixture;

#endif
