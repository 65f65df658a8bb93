/* legacy_machine.h: the fake machine of the device tests with the legacy device in it. */
#ifndef AGPU_TESTS_UNIT_DEVICE_LEGACY_LEGACY_MACHINE_H
#define AGPU_TESTS_UNIT_DEVICE_LEGACY_LEGACY_MACHINE_H

#include "tests/unit/device/fake_machine.h"

/* cmocka set-up around one test; machine_teardown ends it. Memory and Bus Master are set. */
static inline int legacy_setup(void **state)
{
    *state = machine_create_abi(NULL, VGPU_ABI_LEGACY);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, legacy_setup, machine_teardown)

#endif
