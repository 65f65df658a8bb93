/* recorder.c: writes the files of recorded scripts. */
#include "tests/fuzz/record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/record/place.h"

#define REGISTER_BYTES 0x600u

static const char *names[RECORD_TARGETS] = {"access", "stream"};

/* Low registers of the address pairs; 0 ends the list. */
static const uint16_t versioned_addresses[] = {0x100, 0x120, 0x414, 0x520, 0};
static const uint16_t legacy_addresses[] = {0x10, 0x100, 0};

static struct {
    FILE *files[RECORD_TARGETS];
    size_t written[RECORD_TARGETS];
    unsigned episode;
    uint32_t registers[REGISTER_BYTES / 4];
    bool known[REGISTER_BYTES / 4];
    uint32_t config[16];
    const uint16_t *addresses;
    uint32_t doorbell;
} recorder;

static void give_up(const char *what)
{
    fprintf(stderr, "fuzz_record: cannot write %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

FILE *record_open(const char *target, unsigned number)
{
    const char *folder = getenv("AGPU_RECORD_DIR");
    char path[4096];
    FILE *file;

    if (folder == NULL) {
        fprintf(stderr, "fuzz_record: set AGPU_RECORD_DIR to the folder that gets the inputs\n");
        exit(2);
    }
    snprintf(path, sizeof path, "%s/%s", folder, target);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        give_up(path);
    }
    snprintf(path, sizeof path, "%s/%s/episode-%04u", folder, target, number);
    file = fopen(path, "wbe");
    if (file == NULL) {
        give_up(path);
    }
    return file;
}

void record_bytes(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size) {
        give_up("an input");
    }
}

void record_close(FILE *file)
{
    if (fclose(file) != 0) {
        give_up("an input");
    }
}

void record(enum record_target target, enum fuzz_op op, uint8_t argument, const void *operand, size_t size)
{
    const uint8_t header[FUZZ_RECORD_HEADER] = {(uint8_t)op, argument, (uint8_t)size, (uint8_t)(size >> 8)};
    FILE *file = recorder.files[target];

    if (file == NULL || size > UINT16_MAX ||
        recorder.written[target] + sizeof header + size > RECORD_FILE_BYTES) {
        return;
    }
    recorder.written[target] += sizeof header + size;
    record_bytes(file, header, sizeof header);
    record_bytes(file, operand, size);
}

static void write_config(uint32_t offset, uint32_t size, uint32_t value)
{
    const uint8_t operand[] = {(uint8_t)offset,       (uint8_t)(offset >> 8), (uint8_t)size,
                               (uint8_t)value,        (uint8_t)(value >> 8),  (uint8_t)(value >> 16),
                               (uint8_t)(value >> 24)};

    record(RECORD_ACCESS, FUZZ_OP_CONFIG, 0, operand, sizeof operand);
}

/* Returns the value with which the replay reaches the same memory. */
static uint32_t placed(uint32_t offset, uint32_t value)
{
    for (const uint16_t *low = recorder.addresses; *low != 0; low++) {
        if (offset == *low) {
            return place_half(false, value, recorder.registers[*low / 4 + 1]);
        }
        if (offset == *low + 4u) {
            return place_half(true, value, recorder.registers[*low / 4]);
        }
    }
    return value;
}

static void write_register(uint32_t offset, uint32_t value, uint8_t argument)
{
    value = placed(offset, value);
    const uint8_t operand[] = {(uint8_t)offset,       (uint8_t)(offset >> 8), (uint8_t)value,
                               (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

    record(RECORD_ACCESS, FUZZ_OP_WRITE, argument, operand, sizeof operand);
    if (offset >= 0x300) { /* interrupts, scanout, cursor: also for the stream target */
        record(RECORD_STREAM, FUZZ_OP_WRITE, argument, operand, sizeof operand);
    }
}

void record_config(uint32_t offset, uint32_t size, uint32_t value)
{
    if (offset < sizeof recorder.config) {
        const uint32_t shift = offset % 4 * 8;
        const uint32_t mask = (size >= 4 ? UINT32_MAX : (1u << size * 8) - 1) << shift;

        recorder.config[offset / 4] = (recorder.config[offset / 4] & ~mask) | (value << shift & mask);
    }
    write_config(offset, size, value);
}

void record_register(uint32_t offset, uint32_t value)
{
    if (offset < REGISTER_BYTES) {
        recorder.registers[offset / 4] = value;
        recorder.known[offset / 4] = true;
    }
    write_register(offset, value, 0);
}

uint32_t record_register_value(uint32_t offset)
{
    return recorder.registers[offset / 4];
}

static void close_files(void)
{
    for (int target = 0; target < RECORD_TARGETS; target++) {
        if (recorder.files[target] != NULL) {
            record_close(recorder.files[target]);
        }
        recorder.files[target] = NULL;
    }
}

void record_generation(bool legacy)
{
    recorder.addresses = legacy ? legacy_addresses : versioned_addresses;
    recorder.doorbell = legacy ? 0x24 : 0x200;
    names[RECORD_ACCESS] = legacy ? "legacy" : "access";
}

void record_episode(void)
{
    if (recorder.episode == 0) {
        atexit(close_files);
    }
    close_files();
    for (int target = 0; target < RECORD_TARGETS; target++) {
        recorder.files[target] = record_open(names[target], recorder.episode);
        recorder.written[target] = 0;
    }
    recorder.episode++;
    write_config(0x10, 4, recorder.config[4]);
    write_config(0x14, 4, recorder.config[5]);
    write_config(0x04, 2, recorder.config[1]);
    for (uint32_t offset = 0; offset < REGISTER_BYTES; offset += 4) {
        if (recorder.known[offset / 4] &&
            offset != recorder.doorbell) { /* all but the doorbell, without service points */
            write_register(offset, recorder.registers[offset / 4], 4);
        }
    }
}
