/* gauges.c: pages in use by the firmware's memory map, and memory of lwIP. */
#include "efi/gauges.h"

#include <string.h>

#include "efi/dma.h"
#include "efi/heap.h"
#include "efi/memory_map.h"
#include "lwip/memp.h"
#include "lwip/stats.h"

/* The firmware's pool keeps pages for good when small blocks are spread over them. */
#define PAGES_SLACK 64u
/* At either reading a packet may be in flight, and the stream may hold as much as its connection allows:
 * segments and their buffers. */
#define PACKETS_SLACK (4u + 2u * TCP_SND_QUEUELEN)
#define PACKETS_BYTES (4096u + 2u * TCP_SND_BUF)

/* Counts boot services data and loader data, the kinds that this program allocates. */
static void add_pages_in_use(void *ctx, const EFI_MEMORY_DESCRIPTOR *range)
{
    uint64_t *pages = ctx;

    if (range->Type == EfiBootServicesData || range->Type == EfiLoaderData) {
        *pages += range->NumberOfPages;
    }
}

static uint64_t pages_in_use(void)
{
    uint64_t pages = 0;

    agpu_dma_trim(); /* cached blocks are not in use */
    agpu_heap_trim();
    agpu_memory_map_each(add_pages_in_use, &pages);
    return pages;
}

static uint64_t pool_blocks_in_use(void)
{
    uint64_t used = 0;

    for (unsigned i = 0; i < MEMP_MAX; i++) {
        used += lwip_stats.memp[i]->used;
    }
    return used;
}

unsigned agpu_gauges_read(void *ctx, struct agpu_gauge *out, unsigned max)
{
    const struct agpu_gauge gauges[] = {
        {"round.firmware_pages", "pages", pages_in_use(), PAGES_SLACK},
        {"round.network_blocks", "blocks", pool_blocks_in_use(), PACKETS_SLACK},
        {"round.network_bytes", "bytes", lwip_stats.mem.used, PACKETS_BYTES},
    };
    const unsigned all = sizeof gauges / sizeof gauges[0];

    (void)ctx;
    memcpy(out, gauges, (all < max ? all : max) * sizeof gauges[0]);
    return all < max ? all : max;
}
