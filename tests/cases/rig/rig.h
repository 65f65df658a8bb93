/* rig.h: the rig is the fixture of a packet-level case: command memory, an allocation table and some buffers to build
 * submissions with.
 *
 *     agpu_rig_begin(rig);
 *     packet = agpu_rig_packet(rig, AEROGPU_CMD_..., sizeof *packet);
 *     agpu_rig_alloc(rig, 7, &rig->memory[0], AEROGPU_ALLOC_FLAG_NONE);
 *     agpu_run_clean(test);        submits, waits, checks that no error was recorded */
#ifndef AGPU_CASES_RIG_RIG_H
#define AGPU_CASES_RIG_RIG_H

#include "pci/function.h"
#include "ring/alloc_table.h"
#include "ring/transport.h"

#define AGPU_RIG_CMD_BYTES    65536u
#define AGPU_RIG_TABLE_BYTES  65536u
#define AGPU_RIG_MEMORY_COUNT 4u
#define AGPU_RIG_MEMORY_BYTES 65536u
#define AGPU_RIG_PACKET_MAX   4096u
#define AGPU_RIG_MORE_COUNT   3u

struct agpu_rig {
    const struct agpu_function *function; /* owner of the memory; NULL: closed */
    struct agpu_dma cmd;
    struct agpu_dma table;
    struct agpu_dma memory[AGPU_RIG_MEMORY_COUNT]; /* zeroed; for guest-backed resources */
    struct agpu_dma more[AGPU_RIG_MORE_COUNT];     /* agpu_rig_more() */
    uint32_t cmd_start;                            /* of the stream under construction */
    uint32_t cmd_used;
    uint32_t trailer; /* bytes of ones after each packet, which make it longer than its structure */
    uint32_t table_start;
    struct agpu_alloc_table entries;
    bool broken;             /* something did not fit: the case itself is wrong */
    uint64_t fence;          /* last number used */
    uint32_t screen_handles; /* handles returned by agpu_screen_handle() */
    uint8_t overflow[AGPU_RIG_PACKET_MAX];
};

/* Allocates the rig's memory. AGPU_ERR_NO_MEMORY: nothing stays allocated. */
enum agpu_status agpu_rig_open(struct agpu_rig *rig, const struct agpu_function *function);
void agpu_rig_close(struct agpu_rig *rig);

/* Allocates more memory, of any size, until the rig closes. Returns the address of one of more[], NULL if it fails. */
struct agpu_dma *agpu_rig_more(struct agpu_rig *rig, size_t size);

/* Start a stream and a table after those of earlier submissions; begin_over reuses their memory and requires that
 * none is in flight. */
void agpu_rig_begin(struct agpu_rig *rig);
void agpu_rig_begin_over(struct agpu_rig *rig);

/* Appends a packet of size bytes (multiple of 4), zeroed except for its header. Never NULL. */
void *agpu_rig_packet(struct agpu_rig *rig, uint32_t opcode, uint32_t size);

/* Add an allocation: a whole DMA memory, or any range of addresses. */
void agpu_rig_alloc(struct agpu_rig *rig, uint32_t alloc_id, const struct agpu_dma *memory, uint32_t flags);
void agpu_rig_alloc_range(struct agpu_rig *rig, uint32_t alloc_id, uint64_t address, uint64_t size,
                          uint32_t flags);

/* Completes stream and table, takes a fence number and fills in the submission. Leaves out a stream without packets,
 * and a table without entries. Returns false if something did not fit. */
bool agpu_rig_finish(struct agpu_rig *rig, struct agpu_submission *out);

/* Header of the finished stream and table, for cases that damage it. */
struct aerogpu_cmd_stream_header;
struct aerogpu_cmd_stream_header *agpu_rig_stream_header(struct agpu_rig *rig);
struct aerogpu_alloc_table_header *agpu_rig_table_header(struct agpu_rig *rig);
struct aerogpu_alloc_entry *agpu_rig_table_entry(struct agpu_rig *rig, uint32_t index);

#endif
