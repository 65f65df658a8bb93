/* machine.h: the machine around one device of a comparison: guest memory that knows what was written, a clock that stands
 * still, an interrupt line. */
#ifndef AGPU_HOST_COMPARE_MACHINE_H
#define AGPU_HOST_COMPARE_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/port.h"
#include "tests/host/compare/program.h"
#include "tests/host/compare/shape.h"

#define AGPU_CMP_RAM_BYTES                                                                                   \
    (AGPU_CMP_DATA_COUNT * AGPU_CMP_DATA_BYTES + AGPU_CMP_RING_BYTES + AGPU_CMP_FENCE_BYTES +                \
     AGPU_CMP_STREAMS_BYTES + AGPU_CMP_TABLES_BYTES)
#define AGPU_CMP_GRANULE  256u
#define AGPU_CMP_GRANULES (AGPU_CMP_RAM_BYTES / AGPU_CMP_GRANULE)

struct agpu_cmp_machine {
    struct vgpu_port *port;
    uint8_t *ram;  /* all regions, one behind the other; the caller's */
    uint8_t *bar1; /* mapped, when the device has a file for it; else NULL */
    uint64_t bar1_bytes;
    uint32_t bar1_index; /* 2 when the registers are a 64-bit BAR */
    uint64_t now_ns;
    bool line;     /* INTA# */
    bool threaded; /* a thread of the device was seen */
    bool doubted;  /* a fence was waited for that did not come */

    /* What was written since the last look, by whom ever; and a sum over all of memory that depends on its contents
     * alone. */
    atomic_flag lock;
    uint64_t sum;
    uint64_t zero_hash;
    uint32_t dirty_count, touched_count;
    uint32_t dirty[AGPU_CMP_GRANULES];
    uint32_t touched[AGPU_CMP_GRANULES]; /* since the memory was cleared */
    uint8_t is_dirty[AGPU_CMP_GRANULES];
    uint8_t is_touched[AGPU_CMP_GRANULES];
    uint64_t share[AGPU_CMP_GRANULES]; /* of each granule in sum */

    const struct agpu_cmp_shape *shape; /* where capabilities are; NULL: of none is made use */
    bool by_message;                    /* MSI or MSI-X is enabled */
    atomic_uint messages;               /* that came since */
    atomic_uint others;                 /* of another vector than the first */

    char absurd[400]; /* the first absurd DMA that the device asked for, in its words (refusal.h); "": none */

    bool fence_written;   /* the device has asked for the fence page since arm */
    uint32_t late_writes; /* of it to data since then */
};

/* Address of a place; what lies behind offset's region is not memory. */
uint64_t agpu_cmp_address(uint32_t region, uint64_t offset);
/* Offset of a region in ram. */
uint32_t agpu_cmp_region_at(uint32_t region);

/* ram: AGPU_CMP_RAM_BYTES of zeros, which the caller frees after close. Creates the device; false with the reason in
 * message. machine must not move. */
bool agpu_cmp_machine_open(struct agpu_cmp_machine *machine, uint8_t *ram,
                           const struct agpu_device_plugin *table, const char *options, char *message,
                           size_t message_size);
/* What firmware does: BARs get addresses, memory and bus master are on. */
void agpu_cmp_machine_firmware(struct agpu_cmp_machine *machine);
void agpu_cmp_machine_close(struct agpu_cmp_machine *machine);

/* Memory as at the beginning. */
void agpu_cmp_memory_clear(struct agpu_cmp_machine *machine);
/* The CPU's pointer to a place of size bytes that it writes now; NULL when it does not lie in the region. */
void *agpu_cmp_memory_write(struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset,
                            uint64_t size);
const void *agpu_cmp_memory(const struct agpu_cmp_machine *machine, uint32_t region, uint64_t offset);
/* A number for the contents of all memory. */
uint64_t agpu_cmp_memory_sum(struct agpu_cmp_machine *machine);
/* From here on late_writes counts. */
void agpu_cmp_memory_arm(struct agpu_cmp_machine *machine);

uint64_t agpu_cmp_bar1_read(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size);
void agpu_cmp_bar1_write(struct agpu_cmp_machine *machine, uint64_t offset, uint32_t size, uint64_t value);

#endif
