/* writer.c: writes scripts. */
#include "tests/fuzz/seeds/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ring/protocol/aerogpu_cmd.h"

static struct {
    const char *folder;
    FILE *file;
} out;

static void give_up(const char *what)
{
    fprintf(stderr, "fuzz_seeds: cannot write %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        give_up(path);
    }
}

void seed_folder(const char *folder)
{
    out.folder = folder;
    make_folder(folder);
}

void seed_begin(const char *target, const char *name)
{
    char path[4096];

    seed_end();
    snprintf(path, sizeof path, "%s/%s", out.folder, target);
    make_folder(path);
    snprintf(path, sizeof path, "%s/%s/%s", out.folder, target, name);
    out.file = fopen(path, "wbe");
    if (out.file == NULL) {
        give_up(path);
    }
}

void seed_end(void)
{
    if (out.file != NULL && fclose(out.file) != 0) {
        give_up("an input");
    }
    out.file = NULL;
}

static void put(const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, out.file) != size) {
        give_up("an input");
    }
}

static void put_header(enum fuzz_op op, uint8_t argument, size_t size)
{
    const uint8_t header[FUZZ_RECORD_HEADER] = {(uint8_t)op, argument, (uint8_t)size, (uint8_t)(size >> 8)};

    put(header, sizeof header);
}

void seed_record(enum fuzz_op op, uint8_t argument, const void *operand, size_t size)
{
    put_header(op, argument, size);
    put(operand, size);
}

void seed_packet_with(const void *packet, size_t size, const void *extra, size_t extra_size)
{
    put_header(FUZZ_OP_PACKET, 0, size + extra_size);
    put(packet, size);
    put(extra, extra_size);
}

void seed_alloc(uint32_t id, uint32_t flags, uint32_t offset, uint32_t size)
{
    const uint32_t operand[] = {id, flags, offset, size};

    seed_record(FUZZ_OP_ALLOC, 0, operand, sizeof operand);
}

void seed_submit(uint8_t flags)
{
    seed_record(FUZZ_OP_SUBMIT, flags, NULL, 0);
}

void seed_submit_patched(uint8_t flags, enum fuzz_patch where, size_t offset, uint32_t value)
{
    uint8_t operand[1 + FUZZ_PATCH_BYTES] = {4, (uint8_t)where, (uint8_t)offset};

    memcpy(operand + 3, &value, sizeof value);
    seed_record(FUZZ_OP_SUBMIT, flags, operand, sizeof operand);
}

void seed_write(uint32_t offset, uint32_t value)
{
    const uint8_t operand[] = {(uint8_t)offset,       (uint8_t)(offset >> 8), (uint8_t)value,
                               (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

    seed_record(FUZZ_OP_WRITE, 0, operand, sizeof operand);
}

void seed_config(uint32_t offset, uint32_t size, uint32_t value)
{
    const uint8_t operand[] = {(uint8_t)offset,       (uint8_t)(offset >> 8), (uint8_t)size,
                               (uint8_t)value,        (uint8_t)(value >> 8),  (uint8_t)(value >> 16),
                               (uint8_t)(value >> 24)};

    seed_record(FUZZ_OP_CONFIG, 0, operand, sizeof operand);
}

void seed_time(uint32_t ns)
{
    seed_record(FUZZ_OP_TIME, 0, &ns, sizeof ns);
}

void seed_memory(uint32_t offset, const void *bytes, size_t size)
{
    put_header(FUZZ_OP_MEMORY, 0, sizeof offset + size);
    put(&offset, sizeof offset);
    put(bytes, size);
}

void seed_alter(uint32_t offset, uint32_t value, uint16_t skip)
{
    put_header(FUZZ_OP_ALTER, 0, sizeof offset + sizeof value + sizeof skip);
    put(&offset, sizeof offset);
    put(&value, sizeof value);
    put(&skip, sizeof skip);
}

void seed_map(uint32_t page, uint32_t count, uint8_t mapping)
{
    const uint32_t operand[] = {page, count};

    seed_record(FUZZ_OP_MAP, mapping, operand, sizeof operand);
}
