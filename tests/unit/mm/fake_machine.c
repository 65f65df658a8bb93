/* fake_machine.c: memory, clock and ring of the machine for tests of mm/. */
#include "fake_machine.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host_platform/base_platform.h"
#include "tests/unit/guarded_heap.h"
#include "tests/unit/test.h"

/* Device addresses ascend, with a free page between blocks: they are the same in each run, never equal a CPU address,
 * and an address past a block is noticed. */
#define FIRST_ADDRESS 0x100000000ull

struct dma_block {
    struct dma_block *next;
    uint64_t device_address;
    size_t size;
    uint8_t *cpu;
};
static struct dma_block *blocks; /* of all machines */

static bool allowed(struct fake_mm_machine *machine)
{
    machine->calls++;
    return machine->calls != machine->fail_at &&
           (machine->fail_from == 0 || machine->calls < machine->fail_from);
}

static void *heap_alloc(void *ctx, size_t size)
{
    struct fake_mm_machine *machine = ctx;

    if (!allowed(machine)) {
        return NULL;
    }
    machine->heap_live++;
    return guarded_alloc(size, 0);
}

static void heap_free(void *ctx, void *memory)
{
    struct fake_mm_machine *machine = ctx;

    if (memory != NULL) {
        machine->heap_live--;
    }
    guarded_free(memory);
}

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    struct fake_mm_machine *machine = ctx;

    (void)function;
    size = (size + AGPU_PAGE_SIZE - 1u) & ~(size_t)(AGPU_PAGE_SIZE - 1u);
    if (!allowed(machine) || machine->fail_dma ||
        (machine->dma_bytes_limit != 0 && machine->dma_live_bytes + size > machine->dma_bytes_limit)) {
        return AGPU_ERR_NO_MEMORY;
    }
    void *block = calloc(1, size + AGPU_PAGE_SIZE);
    assert_non_null(block);
    uintptr_t start = ((uintptr_t)block + AGPU_PAGE_SIZE - 1u) & ~(uintptr_t)(AGPU_PAGE_SIZE - 1u);
    machine->dma_live++;
    machine->dma_live_bytes += size;
    struct dma_block *record = calloc(1, sizeof *record);
    assert_non_null(record);
    *record = (struct dma_block){blocks, machine->next_address, size, (uint8_t *)start};
    blocks = record;
    machine->next_address += size + AGPU_PAGE_SIZE;
    *out = (struct agpu_dma){
        .cpu = (void *)start, .device_address = record->device_address, .size = size, .binding = block};
    return AGPU_OK;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    struct fake_mm_machine *machine = ctx;

    machine->dma_live--;
    machine->dma_live_bytes -= dma->size;
    for (struct dma_block **link = &blocks; *link != NULL; link = &(*link)->next) {
        if ((*link)->cpu == dma->cpu) {
            struct dma_block *gone = *link;

            *link = gone->next;
            free(gone);
            break;
        }
    }
    free(dma->binding);
}

static uint64_t now_ns(void *ctx)
{
    return ((struct fake_mm_machine *)ctx)->now;
}

static void relax(void *ctx, enum agpu_relax_reason reason)
{
    struct fake_mm_machine *machine = ctx;

    machine->last_reason = reason;
    machine->relaxes++;
    machine->now += machine->relax_step;
    if (machine->on_relax != NULL) {
        machine->on_relax(machine);
    }
}

static bool has_room(void *ctx)
{
    const struct fake_mm_machine *machine = ctx;

    return machine->posted - machine->head < machine->slots;
}

static enum agpu_status submit(void *ctx, const struct agpu_submission *submission)
{
    struct fake_mm_machine *machine = ctx;

    if (machine->lost) {
        return AGPU_ERR_LOST;
    }
    if (!has_room(machine)) {
        return AGPU_ERR_BUSY;
    }
    machine->log[machine->posted++ % FAKE_RING_LOG] = *submission;
    if (machine->automatic) {
        fake_complete(machine, submission->fence);
    }
    return AGPU_OK;
}

static enum agpu_status completed_fence(void *ctx, uint64_t *out)
{
    const struct fake_mm_machine *machine = ctx;

    *out = machine->lost ? UINT64_MAX : machine->completed;
    return machine->lost ? AGPU_ERR_LOST : AGPU_OK;
}

static enum agpu_status reset(void *ctx)
{
    struct fake_mm_machine *machine = ctx;

    machine->resets++;
    machine->completed = 0;
    machine->head = machine->posted;
    return machine->reset_fails ? AGPU_ERR_TIMEOUT : AGPU_OK;
}

void fake_machine_init(struct fake_mm_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    machine->platform = agpu_base_platform;
    machine->platform.ctx = machine;
    machine->platform.dma_alloc = dma_alloc;
    machine->platform.dma_free = dma_free;
    machine->platform.heap_alloc = heap_alloc;
    machine->platform.heap_free = heap_free;
    machine->platform.now_ns = now_ns;
    machine->platform.relax = relax;
    machine->transport = (struct agpu_transport){.ctx = machine,
                                                 .has_room = has_room,
                                                 .submit = submit,
                                                 .completed_fence = completed_fence,
                                                 .reset = reset};
    machine->next_address = FIRST_ADDRESS;
    machine->slots = 256;
    machine->now = 1000000000u;
    machine->relax_step = 1000000u;
}

void fake_machine_check_empty(const struct fake_mm_machine *machine)
{
    assert_int_equal(machine->heap_live, 0);
    assert_int_equal(machine->dma_live, 0);
}

void fake_complete(struct fake_mm_machine *machine, uint64_t fence)
{
    if (fence > machine->completed) {
        machine->completed = fence;
    }
    while (machine->head < machine->posted && machine->log[machine->head % FAKE_RING_LOG].fence <= fence) {
        machine->head++;
    }
}

void fake_complete_next(struct fake_mm_machine *machine)
{
    if (machine->head < machine->posted) {
        fake_complete(machine, machine->log[machine->head % FAKE_RING_LOG].fence);
    }
}

const struct agpu_submission *fake_last(const struct fake_mm_machine *machine)
{
    assert_true(machine->posted != 0);
    return &machine->log[(machine->posted - 1u) % FAKE_RING_LOG];
}

void *fake_cpu(uint64_t device_address)
{
    for (const struct dma_block *b = blocks; b != NULL; b = b->next) {
        if (device_address >= b->device_address && device_address - b->device_address < b->size) {
            return b->cpu + (device_address - b->device_address);
        }
    }
    fail_msg("device address %llx is not mapped", (unsigned long long)device_address);
    return NULL;
}

const struct aerogpu_alloc_table_header *fake_table(const struct agpu_submission *submission)
{
    if (submission->table_size == 0) {
        assert_true(submission->table_address == 0);
        return NULL;
    }
    const struct aerogpu_alloc_table_header *header = fake_cpu(submission->table_address);
    assert_int_equal(header->magic, AEROGPU_ALLOC_TABLE_MAGIC);
    assert_int_equal(header->size_bytes, submission->table_size);
    assert_int_equal(header->size_bytes,
                     sizeof *header + header->entry_count * sizeof(struct aerogpu_alloc_entry));
    return header;
}

const struct aerogpu_alloc_entry *fake_entries(const struct agpu_submission *submission)
{
    const struct aerogpu_alloc_table_header *header = fake_table(submission);

    assert_non_null(header);
    return (const struct aerogpu_alloc_entry *)(header + 1);
}

struct agpu_memory fake_memory(struct fake_mm_machine *machine)
{
    return (struct agpu_memory){.platform = &machine->platform};
}

struct agpu_runtime_config fake_runtime_config(struct fake_mm_machine *machine)
{
    return (struct agpu_runtime_config){.platform = &machine->platform,
                                        .transport = &machine->transport,
                                        .mmio_magic = AEROGPU_UMDPRIV_MMIO_MAGIC_NEW_AGPU,
                                        .abi_version = AEROGPU_ABI_VERSION_U32,
                                        .features = 0x3F,
                                        .fence_page = true,
                                        .command_buffers = 32, /* more than tests leave in flight */
                                        .command_buffer_bytes = 4096};
}
