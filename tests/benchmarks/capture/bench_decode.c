/* bench_decode.c: bytes of command stream that agpu decode prints per second. Floor: copying them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/benchmarks/series.h"
#include "tests/host/decode/stream.h"
#include "tests/host/decode/write_text.h"

#define STREAM_MIB_MAX 16u

/* Builds frames of state, constants, draws and some uploads. Not inlined, so that its checks are not counted. */
static __attribute__((noinline)) size_t fill_stream(uint8_t *stream, size_t bytes)
{
    static const struct {
        uint32_t opcode, bytes;
    } mix[] = {
        {AEROGPU_CMD_SET_VIEWPORT, 32}, {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 24 + 64},
        {AEROGPU_CMD_SET_TEXTURE, 24},  {AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 16},
        {AEROGPU_CMD_DRAW_INDEXED, 32}, {AEROGPU_CMD_UPLOAD_RESOURCE, 32 + 256},
        {AEROGPU_CMD_COPY_BUFFER, 48},  {AEROGPU_CMD_DRAW, 24},
    };
    size_t at = 24, i = 0;

    memset(stream, 0, bytes);
    while (at + 512 < bytes) {
        const uint32_t header[] = {mix[i % 8].opcode, mix[i % 8].bytes};
        const uint32_t constants[] = {1, 0, 4, 0}, four[] = {4, 0}, upload[] = {7, 0, 0, 0, 256, 0};

        memcpy(stream + at, header, sizeof header);
        for (uint32_t word = 8; word + 4 <= header[1]; word += 4) {
            const bool real =
                header[0] == AEROGPU_CMD_SET_VIEWPORT || header[0] == AEROGPU_CMD_SET_SHADER_CONSTANTS_F;
            const float number = (float)(i % 97) * 0.25f;
            const uint32_t value = (uint32_t)(i % 97) + 1;

            memcpy(stream + at + word, real ? (const void *)&number : (const void *)&value, sizeof value);
        }
        if (header[0] == AEROGPU_CMD_SET_SHADER_CONSTANTS_F) {
            memcpy(stream + at + 8, constants, sizeof constants);
        } else if (header[0] == AEROGPU_CMD_UPLOAD_RESOURCE) {
            memcpy(stream + at + 8, upload, sizeof upload);
        }
        if (header[0] == AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY) {
            memcpy(stream + at + 8, four, sizeof four);
        } else if (header[0] == AEROGPU_CMD_COPY_BUFFER) {
            memset(stream + at + 40, 0, 8);
        } else if (header[0] == AEROGPU_CMD_SET_TEXTURE) {
            memcpy(stream + at + 8, constants, 4);
        }
        at += header[1];
        i++;
    }
    const uint32_t head[] = {AEROGPU_CMD_STREAM_MAGIC, 0x00010004, (uint32_t)at};

    memcpy(stream, head, sizeof head);
    return at;
}

/* Returns the CPU time of this thread: other processes may use the processor too. */
static double cpu_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* bench_decode [MIB]: decodes a stream of this size; default and limit: 16. */
int main(int argc, char **argv)
{
    const unsigned long mib = argc > 1 ? strtoul(argv[1], NULL, 10) : STREAM_MIB_MAX;
    const size_t bytes = (size_t)(mib >= 1 && mib <= STREAM_MIB_MAX ? mib : STREAM_MIB_MAX) << 20;
    uint8_t *stream = malloc(bytes), *copy = malloc(bytes);
    static struct agpu_text_writer writer;
    static struct bench_series series;
    FILE *out = fopen("/dev/null", "w");
    struct agpu_decode_output output;
    size_t size;

    if (stream == NULL || copy == NULL || out == NULL) {
        fprintf(stderr, "bench_decode: no memory\n");
        return 1;
    }
    size = fill_stream(stream, bytes);
    output = agpu_text_writer_output(&writer, out);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        struct agpu_decoder *decoder = agpu_decoder_create();
        double start = cpu_now();

        if (decoder == NULL) {
            return 1;
        }
        agpu_decode(decoder, stream, size, 0, &output);
        series.value[round] = (double)size / 1e6 / (cpu_now() - start);
        agpu_decoder_destroy(decoder);
        start = cpu_now();
        memcpy(copy, stream, size);
        __asm__ volatile("" : : "r"(copy) : "memory");
        series.floor[round] = (double)size / 1e6 / (cpu_now() - start);
    }
    bench_print("decode.rate", "MB/s", &series, "200");
    printf("\n]\n");
    free(stream);
    free(copy);
    fclose(out);
    return 0;
}
