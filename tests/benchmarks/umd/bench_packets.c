/* bench_packets.c: one fixed-size packet through the bounded writer. */
#include <stdlib.h>

#include "tests/benchmarks/umd/bench_umd.h"
#include "umd-port/base/writer.h"

void measured_packet(struct agpu_cmd_writer *writer);
void floor_packet(struct aerogpu_cmd_draw *out);

BENCH_WHOLE void measured_packet(struct agpu_cmd_writer *writer)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        struct aerogpu_cmd_draw *packet = agpu_cmd_reserve(writer, AEROGPU_CMD_DRAW, sizeof *packet);

        if (packet != NULL) {
            packet->vertex_count = i;
            packet->instance_count = 1;
            packet->first_vertex = 0;
            packet->first_instance = 0;
        }
        BENCH_USE(writer); /* one packet at a time */
    }
}

BENCH_WHOLE void floor_packet(struct aerogpu_cmd_draw *out)
{
    for (uint32_t i = 0; i < BENCH_CALLS; i++) {
        out->hdr.opcode = AEROGPU_CMD_DRAW;
        out->hdr.size_bytes = sizeof *out;
        out->vertex_count = i;
        out->instance_count = 1;
        out->first_vertex = 0;
        out->first_instance = 0;
        BENCH_USE(out);
        out++;
    }
}

void bench_packets(uint32_t rounds)
{
    const size_t bytes = AGPU_CMD_STREAM_HEADER_BYTES + BENCH_CALLS * sizeof(struct aerogpu_cmd_draw);
    void *memory = bench_alloc(bytes);
    struct agpu_cmd_writer writer = {.heap = NULL};

    agpu_cmd_set_buffer(&writer, memory, bytes);
    for (uint32_t i = 0; i < rounds; i++) {
        agpu_cmd_reset(&writer);
        measured_packet(&writer);
        bench_expect(writer.error == AGPU_CMD_OK && agpu_cmd_used(&writer) == bytes ? S_OK : E_FAIL,
                     "the bounded writer");
        floor_packet(memory);
    }
    free(memory);
}
