/* mutate.c: the mutator of the device's fuzz targets: changes whole records, so that the result is still a
 * meaningful script. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate/records.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* provided by libFuzzer */

#define MAX_RECORDS 2048u
#define ARENA_BYTES (512u << 10)

/* The script being changed: records with operands in the input or in the arena. */
static struct {
    struct fuzz_record records[MAX_RECORDS];
    uint32_t count;
    uint8_t arena[ARENA_BYTES];
    size_t used;
    uint32_t position; /* of the next new record */
} script;

static void parse(const uint8_t *data, size_t size)
{
    size_t at = 0;

    script.count = 0;
    script.used = 0;
    while (script.count < MAX_RECORDS / 2 &&
           fuzz_record_next(data, size, &at, &script.records[script.count])) {
        script.count++;
    }
}

static uint8_t *arena_take(const uint8_t *bytes, size_t size, size_t room)
{
    uint8_t *copy = script.arena + script.used;

    if (room > ARENA_BYTES - script.used) {
        return NULL;
    }
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    script.used += room;
    return copy;
}

static size_t serialise(uint8_t *out, size_t room)
{
    size_t at = 0;

    for (uint32_t i = 0; i < script.count; i++) {
        const struct fuzz_record *record = &script.records[i];

        if (FUZZ_RECORD_HEADER + record->length > room - at) {
            break;
        }
        out[at] = record->op;
        out[at + 1] = record->argument;
        out[at + 2] = (uint8_t)record->length;
        out[at + 3] = (uint8_t)(record->length >> 8);
        if (record->length > 0) {
            memcpy(out + at + FUZZ_RECORD_HEADER, record->bytes, record->length);
        }
        at += FUZZ_RECORD_HEADER + record->length;
    }
    return at;
}

static void insert(uint32_t position, struct fuzz_record record)
{
    if (script.count < MAX_RECORDS) {
        memmove(&script.records[position + 1], &script.records[position],
                (script.count - position) * sizeof record);
        script.records[position] = record;
        script.count++;
    }
}

/* Inserts a new record behind the last one that was inserted. */
static void take_record(const struct fuzz_record *record)
{
    struct fuzz_record copy = *record;

    copy.bytes = arena_take(record->bytes, record->length, record->length);
    if (copy.bytes != NULL) {
        insert(script.position++, copy);
    }
}

static void insert_new(struct agpu_gen_random *random)
{
    script.position = agpu_gen_random_below(random, script.count + 1);
    if (agpu_gen_random_below(random, 4) == 0) {
        fuzz_make_record(random, take_record);
    } else {
        fuzz_make_session(random, take_record);
    }
}

static void mutate_operand(struct fuzz_record *record)
{
    const size_t room = record->length + 16u < UINT16_MAX ? record->length + 16u : UINT16_MAX;
    uint8_t *copy = arena_take(record->bytes, record->length, room);

    if (copy != NULL) {
        record->length = (uint16_t)LLVMFuzzerMutate(copy, record->length, room);
        record->bytes = copy;
    }
}

/* Replaces a word of the operand. */
static void tweak(struct agpu_gen_random *random, struct fuzz_record *record)
{
    const uint32_t value = (uint32_t)fuzz_any_value(random);
    uint8_t *copy = arena_take(record->bytes, record->length, record->length);

    if (copy != NULL && record->length >= sizeof value) {
        memcpy(copy + sizeof value * agpu_gen_random_below(random, record->length / sizeof value), &value,
               sizeof value);
        record->bytes = copy;
    }
}

static void remove_run(struct agpu_gen_random *random)
{
    const uint32_t first = agpu_gen_random_below(random, script.count);
    uint32_t count = 1 + agpu_gen_random_below(random, 4);

    count = count < script.count - first ? count : script.count - first;
    memmove(&script.records[first], &script.records[first + count],
            (script.count - first - count) * sizeof script.records[0]);
    script.count -= count;
}

static void mutate_once(struct agpu_gen_random *random)
{
    struct fuzz_record *record;

    if (script.count == 0 || agpu_gen_random_below(random, 3) == 0) {
        insert_new(random);
        return;
    }
    record = &script.records[agpu_gen_random_below(random, script.count)];
    switch (agpu_gen_random_below(random, 8)) {
    case 0:
        mutate_operand(record);
        break;
    case 1:
        record->argument ^= (uint8_t)(1u << agpu_gen_random_below(random, 8));
        break;
    case 2:
        remove_run(random);
        break;
    case 3: /* repeat it elsewhere */
        insert(agpu_gen_random_below(random, script.count + 1), *record);
        break;
    case 4: { /* swap two */
        struct fuzz_record *other = &script.records[agpu_gen_random_below(random, script.count)];
        const struct fuzz_record kept = *record;

        *record = *other;
        *other = kept;
        break;
    }
    default:
        tweak(random, record);
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct agpu_gen_random random = {.state = seed};
    uint32_t changes = 1 + agpu_gen_random_below(&random, 4);

    if (agpu_gen_random_below(&random, 12) == 0) {
        return LLVMFuzzerMutate(data, size, max_size); /* mutates bytes, without regard to records */
    }
    uint8_t *out = malloc(max_size);
    if (out == NULL) {
        return 0;
    }
    parse(data, size);
    while (changes-- > 0) {
        mutate_once(&random);
    }
    size = serialise(out, max_size);
    memcpy(data, out, size);
    free(out);
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    struct agpu_gen_random random = {.state = seed};
    struct fuzz_record record;
    uint32_t skip, count;
    size_t at = 0;

    /* Inserts some records of the other script between those of the first. */
    parse(data, size);
    skip = agpu_gen_random_below(&random, 16);
    count = 1 + agpu_gen_random_below(&random, 16);
    uint32_t position = agpu_gen_random_below(&random, script.count + 1);
    while (fuzz_record_next(other, other_size, &at, &record)) {
        if (skip > 0) {
            skip--;
        } else if (count > 0) {
            insert(position++, record);
            count--;
        }
    }
    return serialise(out, max_size);
}
