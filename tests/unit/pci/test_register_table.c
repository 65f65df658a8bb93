/* test_register_table.c: compares the register tables with those of the specification, row by row (device.md 4,
 * legacy.md 2). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/register_table.h"
#include "tests/unit/test.h"

static const char *const accesses[] = {"RO", "RW", "WO"};

/* Parses a row "| 0x0004 | NAME | RO | reset, hexadecimal | ..." of the text. */
static bool is_row(const char *line, char name[64], char access[8], uint32_t *offset, uint32_t *reset)
{
    char value[16];

    if (sscanf(line, "| 0x%x | %63[A-Z0-9_] | %7s | %15s |", offset, name, access, value) != 4) {
        return false;
    }
    *reset = (uint32_t)strtoul(value, NULL, 16); /* 0 for the "-" of write-only registers */
    return true;
}

static void check_table(const char *path, bool legacy)
{
    FILE *text = fopen(path, "r");
    size_t count, found = 0;
    const struct aerogpu_register *registers = aerogpu_registers(legacy, &count);
    char line[1024], name[64], access[8];
    uint32_t offset, reset;

    assert_non_null(text);
    while (fgets(line, sizeof line, text) != NULL) {
        if (!is_row(line, name, access, &offset, &reset)) {
            continue;
        }
        if (found == count) {
            print_error("%s has %s, the table of registers has not: add its row\n", path, name);
        }
        assert_true(found < count);
        assert_string_equal(registers[found].name, name);
        assert_int_equal(registers[found].offset, offset);
        assert_string_equal(accesses[registers[found].access], access);
        assert_int_equal(registers[found].reset, reset);
        found++;
    }
    if (found < count) {
        print_error("%s lacks %s, or has it out of order: add its row\n", path, registers[found].name);
    }
    assert_int_equal(found, count);
    assert_int_equal(fclose(text), 0);
}

TEST(versioned_as_specified)
{
    check_table(AGPU_SOURCE_DIR "pci/device.md", false);
}

TEST(legacy_as_specified)
{
    check_table(AGPU_SOURCE_DIR "ring/legacy.md", true);
}

/* Offsets ascend, access and kind agree, and each low half is followed by its high half. */
TEST(rows_are_consistent)
{
    for (unsigned legacy = 0; legacy < 2; legacy++) {
        size_t count;
        const struct aerogpu_register *const registers = aerogpu_registers(legacy, &count);

        for (size_t i = 0; i < count; i++) {
            const struct aerogpu_register *reg = &registers[i];
            const size_t length = strlen(reg->name);

            assert_int_equal(reg->offset % 4, 0);
            assert_true(i == 0 || reg->offset > reg[-1].offset);
            assert_int_equal(reg->access == AEROGPU_REGISTER_WO, reg->kind == AEROGPU_REGISTER_ORDER);
            assert_int_equal(reg->access == AEROGPU_REGISTER_RO,
                             reg->kind == AEROGPU_REGISTER_CONSTANT || reg->kind == AEROGPU_REGISTER_LIVE);
            if (length > 3 && strcmp(reg->name + length - 3, "_LO") == 0) {
                assert_true(i + 1 < count && reg[1].offset == reg->offset + 4);
                assert_memory_equal(reg[1].name, reg->name, length - 3);
                assert_string_equal(reg[1].name + length - 3, "_HI");
            }
        }
    }
}
