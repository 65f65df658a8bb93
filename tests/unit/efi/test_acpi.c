/* test_acpi.c: ACPI tables made of memory: which processor of the MADT starts, and what is read of a broken MADT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "efi/acpi.h"
#include "efi/machine.h"

EFI_SYSTEM_TABLE *agpu_system;

#define SELF 7u

/* A MADT on the heap, of exactly its size: AddressSanitizer reports a read behind it. */
struct madt {
    uint8_t *bytes;
    uint32_t size;
};

static struct madt make_madt(const uint8_t *entries, uint32_t size)
{
    struct madt madt = {calloc(1, AGPU_MADT_ENTRIES + size), AGPU_MADT_ENTRIES + size};
    uint8_t sum = 0;

    assert_non_null(madt.bytes);
    memcpy(madt.bytes, "APIC", 4);
    memcpy(madt.bytes + 4, &madt.size, sizeof madt.size);
    memcpy(madt.bytes + AGPU_MADT_ENTRIES, entries, size);
    for (uint32_t i = 0; i < madt.size; i++) {
        sum = (uint8_t)(sum + madt.bytes[i]);
    }
    madt.bytes[9] = (uint8_t)-sum;
    return madt;
}

/* Returns the other processor of a MADT with these entries; -1: none. */
static int other_of(const uint8_t *entries, uint32_t size)
{
    struct madt madt = make_madt(entries, size);
    uint8_t id = 0;
    const bool found = agpu_acpi_other_processor(madt.bytes, madt.size, SELF, &id);

    free(madt.bytes);
    return found ? id : -1;
}

#define OTHER_OF(...)        other_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define PROCESSOR(id, flags) 0, 8, 0, (id), (flags), 0, 0, 0

static void the_first_enabled_processor_starts(void **state)
{
    (void)state;
    assert_int_equal(OTHER_OF(PROCESSOR(SELF, 1)), -1);
    assert_int_equal(OTHER_OF(PROCESSOR(SELF, 1), PROCESSOR(3, 1), PROCESSOR(4, 1)), 3);
    assert_int_equal(OTHER_OF(PROCESSOR(SELF, 1), PROCESSOR(3, 2), PROCESSOR(4, 3)), 4);
    assert_int_equal(OTHER_OF(PROCESSOR(0, 1), PROCESSOR(SELF, 1)), 0);
    assert_int_equal(OTHER_OF(1, 12, 0, 0, 0, 0, 0xC0, 0xFE, 0, 0, 0, 0, PROCESSOR(SELF, 1), PROCESSOR(5, 1)),
                     5);
}

static void broken_entries_end_the_table(void **state)
{
    (void)state;
    assert_int_equal(OTHER_OF(0, 6, 0, 3, 1, 0, PROCESSOR(4, 1)), 4); /* too short to be a processor */
    assert_int_equal(OTHER_OF(0, 0, 0, 3, 1, 0, 0, 0, PROCESSOR(4, 1)), -1);
    assert_int_equal(OTHER_OF(0, 1, PROCESSOR(4, 1)), -1);
    assert_int_equal(OTHER_OF(0, 9, 0, 3, 1, 0, 0, 0), -1); /* ends behind the table */
    assert_int_equal(OTHER_OF(0), -1);
    assert_int_equal(OTHER_OF(5, 255, PROCESSOR(4, 1)), -1);
}

static void a_wrong_checksum_starts_no_processor(void **state)
{
    const uint8_t entries[] = {PROCESSOR(3, 1)};
    struct madt madt = make_madt(entries, sizeof entries);
    uint8_t id;

    (void)state;
    assert_true(agpu_acpi_other_processor(madt.bytes, madt.size, SELF, &id));
    for (uint32_t i = 0; i < madt.size; i++) {
        madt.bytes[i] ^= 0x10;
        assert_false(agpu_acpi_other_processor(madt.bytes, madt.size, SELF, &id));
        madt.bytes[i] ^= 0x10;
    }
    free(madt.bytes);
}

/* Every table of random bytes ends, without a read behind it. */
static void random_tables_end(void **state)
{
    unsigned found = 0;

    (void)state;
    srand(5);
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t entries[64];

        for (size_t i = 0; i < sizeof entries; i++) {
            entries[i] = rand() % 2 != 0 ? (uint8_t)(rand() % 12) : (uint8_t)rand();
        }
        found += other_of(entries, (uint32_t)rand() % (sizeof entries + 1)) >= 0;
    }
    assert_in_range(found, 100, 19000); /* both outcomes occur */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_enabled_processor_starts),
        cmocka_unit_test(broken_entries_end_the_table),
        cmocka_unit_test(a_wrong_checksum_starts_no_processor),
        cmocka_unit_test(random_tables_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
