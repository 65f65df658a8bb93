/* machine.h: the machine around one device of a comparison: guest memory that tracks writes, a clock that only the
 * program advances, an interrupt line. */
#ifndef AGPU_HOST_COMPARE_MACHINE_H
#define AGPU_HOST_COMPARE_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/port.h"
#include "tests/cases/random/program.h"
#include "tests/host/compare/shape.h"

#define AGPU_CMP_RAM_BYTES                                                                                   \
    (AGPU_GEN_DATA_COUNT * AGPU_GEN_DATA_BYTES + AGPU_GEN_RING_BYTES + AGPU_GEN_FENCE_BYTES +                \
     AGPU_GEN_STREAMS_BYTES + AGPU_GEN_TABLES_BYTES)
#define AGPU_CMP_GRANULE  256u
#define AGPU_CMP_GRANULES (AGPU_CMP_RAM_BYTES / AGPU_CMP_GRANULE)

struct agpu_cmp_machine {
    struct vgpu_port *port;
    uint8_t *ram;  /* all regions, in sequence; the caller's */
    uint8_t *bar1; /* mapped, if the device has a file for it; else NULL */
    uint64_t bar1_bytes;
    uint32_t bar1_index; /* 2 when the registers are a 64-bit BAR */
    uint64_t now_ns;
    bool line;     /* INTA# */
    bool threaded; /* a thread of the device has called */
    bool doubted;  /* an expected fence did not arrive */

    /* Writes since the last look, by CPU or device; and a checksum over all of memory that depends only on its
     * contents. */
    atomic_flag lock;
    uint64_t sum;
    uint64_t zero_hash;
    uint32_t dirty_count, touched_count;
    uint32_t dirty[AGPU_CMP_GRANULES];
    uint32_t touched[AGPU_CMP_GRANULES]; /* since the memory was cleared */
    uint8_t is_dirty[AGPU_CMP_GRANULES];
    uint8_t is_touched[AGPU_CMP_GRANULES];
    uint64_t share[AGPU_CMP_GRANULES]; /* part of each granule in sum */

    const struct agpu_cmp_shape *shape; /* locations of capabilities; NULL: capabilities are not used */
    bool by_message;                    /* MSI or MSI-X is enabled */
    atomic_uint messages;               /* arrived since then */
    atomic_uint others;                 /* with another vector than the first */

    /* the first absurd DMA that the device requested, in its own words (refusal.h); "": none */
    char absurd[400];

    bool fence_written;   /* the device has accessed the fence page since arm */
    uint32_t late_writes; /* writes by the device to data since then */
};

/* Returns the address of a place; what lies beyond the region of offset is not memory. */
uint64_t agpu_cmp_address(uint32_t region, uint64_t offset);
/* Returns the offset of a region in ram. */
uint32_t agpu_cmp_region_at(uint32_t region);

/* ram: AGPU_CMP_RAM_BYTES of zeros, which the caller frees after close. Creates the device; returns false with the
 * reason in message. machine must not move. */
bool agpu_cmp_machine_open(struct agpu_cmp_machine *machine, uint8_t *ram,
                           const struct agpu_device_plugin *table, const char *options, char *message,
                           size_t message_size);
/* Does the firmware's part: assigns addresses to BARs, enables memory space and bus master. */
void agpu_cmp_machine_firmware(struct agpu_cmp_machine *machine);
void agpu_cmp_machine_close(struct agpu_cmp_machine *machine);

/* Restores the initial contents of memory. */
void agpu_cmp_memory_clear(struct agpu_cmp_machine *machine);
/* Returns the CPU's pointer to a place of size bytes that it is about to write; NULL when it is not inside the
 * region. */
void *agpu_cmp_memory_write(struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset,
                            uint64_t size);
const void *agpu_cmp_memory(const struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset);
/* Returns a checksum of all memory. */
uint64_t agpu_cmp_memory_sum(struct agpu_cmp_machine *machine);
/* Starts to count late_writes. */
void agpu_cmp_memory_arm(struct agpu_cmp_machine *machine);

uint64_t agpu_cmp_bar1_read(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size);
void agpu_cmp_bar1_write(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size, uint64_t value);

#endif
