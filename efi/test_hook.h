/* test_hook.h: deliberate misbehaviour in place of a case's body, to test that the image survives it. */
#ifndef AGPU_EFI_TEST_HOOK_H
#define AGPU_EFI_TEST_HOOK_H

#include "tests/cases/harness/case.h"

/* Callback `instead` of struct agpu_runner_config. hooks is the text of test_hook= (agpu.cfg):
 * "crash:ID,loop:ID". False when it does not name the case. */
bool agpu_test_hook(void *hooks, struct agpu_test *test);

#endif
