/* artifact.c: sends files in pieces: raw to a lossless sink, otherwise as base64 pieces that each fit one network
 * packet. */
#include "tests/cases/harness/artifact.h"

#include "tests/cases/harness/record.h"
#include "tests/cases/harness/stream.h"

/* 640 characters of base64; with header, id and the other keys less than the 1000 bytes of a packet. A multiple of 3,
 * so that only the last piece is padded. */
#define PIECE_BYTES 480u

static void encode_base64(char *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;

        if (i + 1 < size) {
            bits |= (uint32_t)bytes[i + 1] << 8;
        }
        if (i + 2 < size) {
            bits |= bytes[i + 2];
        }
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = i + 1 < size ? digits[bits >> 6 & 63] : '=';
        *out++ = i + 2 < size ? digits[bits & 63] : '=';
    }
    *out = 0;
}

static void begin_piece(struct agpu_record *record, const struct agpu_test *test, const char *name,
                        size_t size, size_t offset)
{
    agpu_record_begin(record, AGPU_RECORD_ARTIFACT, test->test_case->id);
    agpu_record_string(record, AGPU_KEY(ARTIFACT, name), name);
    agpu_record_u64(record, AGPU_KEY(ARTIFACT, size), size);
    agpu_record_u64(record, AGPU_KEY(ARTIFACT, offset), offset);
}

static void send_whole_pieces(struct agpu_test *test, const char *name, const uint8_t *from, size_t size)
{
    struct agpu_record record;

    for (size_t offset = 0; offset < size; offset += AGPU_STREAM_PIECE_MAX) {
        const size_t piece = size - offset < AGPU_STREAM_PIECE_MAX ? size - offset : AGPU_STREAM_PIECE_MAX;

        begin_piece(&record, test, name, size, offset);
        agpu_record_u64(&record, AGPU_KEY(ARTIFACT, bytes), piece);
        agpu_stream_send_piece(test->stream, &record, from + offset, piece);
    }
}

bool agpu_artifact_send(struct agpu_test *test, const char *name, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    char data[PIECE_BYTES / 3 * 4 + 1];
    struct agpu_record record;

    if (size > AGPU_ARTIFACT_CASE_MAX || test->artifact_bytes > AGPU_ARTIFACT_CASE_MAX - size) {
        return false;
    }
    test->artifact_bytes += (uint32_t)size;
    if (agpu_stream_takes_pieces(test->stream, size)) {
        send_whole_pieces(test, name, from, size);
        return true;
    }
    for (size_t offset = 0; offset < size; offset += PIECE_BYTES) {
        size_t piece = size - offset < PIECE_BYTES ? size - offset : PIECE_BYTES;

        encode_base64(data, from + offset, piece);
        begin_piece(&record, test, name, size, offset);
        agpu_record_string(&record, AGPU_KEY(ARTIFACT, data), data);
        agpu_stream_send(test->stream, &record);
    }
    return true;
}
