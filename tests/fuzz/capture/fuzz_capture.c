/* fuzz_capture.c: fuzz target of captures: reads, prints and replays them on the model. An input is the
 * records of a file; the target adds the file structure with valid checksums, so that the records are parsed.
 * An input that begins like a file is used unchanged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capture/format.h"
#include "tests/device/plugin/model.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/decode/capture_json.h"
#include "tests/host/decode/capture_text.h"
#include "tests/host/replay/replay.h"

static struct agpu_player *player;

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
    uint32_t at = 0, length;

    if (file == NULL || padded == 0) {
        free(file);
        return 0;
    }
    memcpy(records, data, size < padded ? size : padded);
    while (at + sizeof(struct agpu_capture_record) <= padded) {
        memcpy(&length, records + at, sizeof length);
        if (length < sizeof(struct agpu_capture_record) || length > padded - at) {
            break;
        }
        block.records++;
        at += length;
    }
    block.sum = agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, records, padded);
    end.records = block.records;
    end.sum = agpu_capture_sum_word(AGPU_CAPTURE_SUM_SEED, block.sum);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, &block, sizeof block);
    memcpy(records + padded, &end, sizeof end);
    *out = file;
    return sizeof header + 2 * sizeof block + padded;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *built = NULL;
    const bool whole = agpu_capture_is_one(data, size);
    const size_t length = whole ? size : build_file(data, size, &built);
    const uint8_t *file = whole ? data : built;

    if (length != 0) {
        print_file(file, length, false);
        print_file(file, length, true);
        play_file(file, length);
    }
    free(built);
    return 0;
}
