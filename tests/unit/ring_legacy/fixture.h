/* fixture.h: a legacy device made of an array of registers, with a ring. The test acts as the device. */
#ifndef AGPU_TESTS_UNIT_RING_LEGACY_FIXTURE_H
#define AGPU_TESTS_UNIT_RING_LEGACY_FIXTURE_H

#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/legacy.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

#define FIXTURE_WRITES 256

struct legacy_fixture {
    struct fake_pci_machine machine;
    struct agpu_function function;
    struct agpu_legacy_ring ring;
    bool stuck; /* writes to RING_ENTRY_COUNT have no effect */
    /* Register writes in order. */
    uint32_t write_count;
    struct {
        uint32_t reg, value;
    } writes[FIXTURE_WRITES];
};

extern struct legacy_fixture fixture;

/* cmocka set-up: an opened function without a ring. */
int fixture_setup(void **state);
/* cmocka set-up: an opened function with a running ring of 5 entries. The teardown fails the test if memory is still
 * allocated. */
int fixture_setup_ring(void **state);
int fixture_teardown(void **state);

uint32_t *fixture_reg(uint32_t reg);
/* Returns the entry at index; its descriptor at its device address. */
const struct aerogpu_legacy_ring_entry_submit *fixture_entry(uint32_t index);
const struct aerogpu_legacy_submission_desc_header *fixture_descriptor(uint32_t index);
/* The device consumes all entries up to the tail register and completes the last number. */
void fixture_consume(void);
/* Posts an empty submission with this fence. */
enum agpu_status fixture_post(uint64_t fence);

#endif
