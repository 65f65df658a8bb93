/* fuzz_capture.c: fuzz target of captures: reads, prints and replays them on the model. An input is the
 * records of a file; the target adds the file structure with valid checksums, so that the records are parsed.
 * An input that begins like a file is used unchanged, then with the numbers and checksums of its blocks repaired. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/capture/format.h"
#include "tests/device/plugin/model.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/decode/capture_json.h"
#include "tests/host/decode/capture_text.h"
#include "tests/host/replay/replay.h"

static struct agpu_player *player;

/* Returns the number of records among these bytes, as far as their sizes are possible. */
static uint64_t count_records(const uint8_t *records, uint32_t size)
{
    uint64_t count = 0;
    uint32_t at = 0, length;

    while (at + sizeof(struct agpu_capture_record) <= size) {
        memcpy(&length, records + at, sizeof length);
        if (length < sizeof(struct agpu_capture_record) || length > size - at) {
            break;
        }
        count++;
        at += length;
    }
    return count;
}

/* Builds the file around the records: header, one block, the end. */
static size_t build_file(const uint8_t *data, size_t size, uint8_t **out)
{
    const struct agpu_capture_header header = {.magic = AGPU_CAPTURE_MAGIC, .version = AGPU_CAPTURE_VERSION};
    const uint32_t padded =
        ((uint32_t)(size < AGPU_CAPTURE_BLOCK_MAX - 8 ? size : AGPU_CAPTURE_BLOCK_MAX - 8) + 7u) & ~7u;
    struct agpu_capture_block block = {
        .magic = AGPU_CAPTURE_BLOCK_MAGIC, .size = padded, .stored_size = padded};
    struct agpu_capture_block end = {
        .magic = AGPU_CAPTURE_BLOCK_MAGIC, .packing = AGPU_CAPTURE_END, .number = 1};
    uint8_t *file = calloc(1, sizeof header + 2 * sizeof block + padded);
    uint8_t *records = file + sizeof header + sizeof block;

    if (file == NULL || padded == 0) {
        free(file);
        return 0;
    }
    memcpy(records, data, size < padded ? size : padded);
    block.records = count_records(records, padded);
    block.sum = agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, records, padded);
    end.records = block.records;
    end.sum = agpu_capture_sum_word(AGPU_CAPTURE_SUM_SEED, block.sum);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, &block, sizeof block);
    memcpy(records + padded, &end, sizeof end);
    *out = file;
    return sizeof header + 2 * sizeof block + padded;
}

/* Gives each block of a file the number, the count and the checksum that its reader expects. Returns true when
 * something changed. */
static bool repair_file(uint8_t *file, size_t size)
{
    static uint8_t unpacked[AGPU_CAPTURE_BLOCK_MAX];
    struct agpu_capture_block was, block;
    size_t at = sizeof(struct agpu_capture_header), next;
    uint64_t number = 0, records = 0, sums = AGPU_CAPTURE_SUM_SEED;
    bool changed = false;

    for (; at < size && size - at >= sizeof block; at = next, number++) {
        const uint8_t *bytes = file + at + sizeof block;

        memcpy(&block, file + at, sizeof block);
        was = block;
        block.magic = AGPU_CAPTURE_BLOCK_MAGIC;
        block.number = number;
        next = size;
        if (block.packing == AGPU_CAPTURE_END) {
            block.records = records;
            block.sum = sums;
        } else if (block.stored_size <= size - at - sizeof block) {
            if (block.packing == AGPU_CAPTURE_ZSTD) {
                const size_t got = ZSTD_decompress(unpacked, sizeof unpacked, bytes, block.stored_size);

                block.size = ZSTD_isError(got) ? 0 : (uint32_t)got;
                bytes = unpacked;
            } else {
                block.size = block.stored_size;
            }
            block.records = count_records(bytes, block.size);
            block.sum = agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, bytes, block.size);
            records += block.records;
            sums = agpu_capture_sum_word(sums, block.sum);
            next = at + sizeof block + was.stored_size;
        }
        memcpy(file + at, &block, sizeof block);
        changed = changed || memcmp(&block, &was, sizeof block) != 0;
    }
    return changed;
}

static void print_file(const uint8_t *file, size_t size, bool as_json)
{
    static struct agpu_capture_text text;
    static struct agpu_capture_json json;
    static FILE *out;
    const struct agpu_capture_choice all = {0};
    struct agpu_capture_view_output output;
    struct agpu_capture_reader *reader;
    char message[300];
    uint64_t problems;

    out = out != NULL ? out : fopen("/dev/null", "we");
    reader = agpu_capture_open_memory(file, size, message, sizeof message);
    if (reader == NULL || out == NULL) {
        agpu_capture_close(reader);
        return;
    }
    output = as_json ? agpu_capture_json_output(&json, out) : agpu_capture_text_output(&text, out);
    agpu_capture_walk(reader, &all, &output, &problems, message, sizeof message);
    if (!as_json) {
        agpu_capture_text_end(&text);
    }
    agpu_capture_close(reader);
}

static void play_file(const uint8_t *file, size_t size)
{
    const struct agpu_replay_config config = {
        .table = vgpu_model_plugin(), .options = "render=off", .trusted = true, .wait_ns = 50000000};
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    char message[300];

    if (player == NULL) {
        player = agpu_replay_create(&config, message, sizeof message);
    }
    reader = agpu_capture_open_memory(file, size, message, sizeof message);
    if (player == NULL || reader == NULL) {
        agpu_capture_close(reader);
        return;
    }
    agpu_replay_again(player);
    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD &&
           agpu_replay_feed(player, &item) == AGPU_REPLAY_GOES_ON) {
    }
    agpu_capture_close(reader);
    agpu_replay_again(player); /* frees its memory */
}

static void use_file(const uint8_t *file, size_t size)
{
    print_file(file, size, false);
    print_file(file, size, true);
    play_file(file, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *built = NULL;

    if (!agpu_capture_is_one(data, size)) {
        size = build_file(data, size, &built);
    } else {
        use_file(data, size);
        built = malloc(size);
        if (built != NULL) {
            memcpy(built, data, size);
        }
        if (built == NULL || !repair_file(built, size)) {
            size = 0;
        }
    }
    if (size != 0) {
        use_file(built, size);
    }
    free(built);
    return 0;
}
