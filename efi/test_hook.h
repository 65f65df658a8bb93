/* test_hook.h: misbehaviour on purpose, in the place of a case's body: what the image survives is tried with it. */
#ifndef AGPU_EFI_TEST_HOOK_H
#define AGPU_EFI_TEST_HOOK_H

#include "tests/cases/harness/case.h"

/* struct agpu_runner_config's instead. hooks is the text of test_hook= (agpu.cfg): "crash:ID,loop:ID". False when none of
 * them names the case. */
bool agpu_test_hook(void *hooks, struct agpu_test *test);

#endif
