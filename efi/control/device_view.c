/* device_view.c: rows about a device. Reads it and changes nothing. */
#include "efi/control/device_view.h"

#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/state.h"

bool agpu_view_put(struct agpu_text *text, struct agpu_record *row)
{
    const size_t before = text->length;

    agpu_record_finish(row);
    agpu_format(text, "%s\n", row->buffer);
    if (text->truncated) {
        text->length = before;
        text->buffer[before] = '\0';
        text->truncated = false;
        return false;
    }
    return true;
}

void agpu_view_function(struct agpu_record *row, const struct agpu_env *env)
{
    static const char *const names[AGPU_PCI_BAR_COUNT] = {"bar0", "bar1", "bar2", "bar3", "bar4", "bar5"};
    char buffer[200];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_pci_describe(&text, &env->function.found);
    agpu_record_string(row, "device", buffer);
    agpu_record_string(row, "generation", env->abi.legacy ? "legacy" : "versioned");
    agpu_record_u64(row, "major", agpu_abi_major(&env->abi));
    agpu_record_u64(row, "minor", agpu_abi_minor(&env->abi));
    agpu_record_u64(row, "features", env->abi.features);
    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT; i++) {
        if (env->function.bars[i].size != 0) {
            agpu_record_u64(row, names[i], env->function.bars[i].size);
        }
    }
}

static void view_versioned(struct agpu_record *row, const struct agpu_env *env)
{
    const struct agpu_function *function = &env->function;
    const struct agpu_ring *ring = &env->ring;

    if (ring->memory.cpu != NULL) {
        agpu_record_u64(row, "head", agpu_ring_head(ring));
        agpu_record_u64(row, "tail", ring->tail);
        agpu_record_u64(row, "entries", ring->entry_count);
        agpu_record_u64(row, "submitted_fence", ring->last_submitted);
    }
    if (ring->memory.cpu != NULL && ring->page.cpu != NULL) {
        agpu_record_u64(row, "fence_page", agpu_fence_page_value(ring));
    }
    agpu_record_u64(row, "completed_fence", agpu_fence_mmio_value(function));
    agpu_record_u64(row, "control", agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL));
    agpu_record_u64(row, "irq_status", agpu_irq_status(function));
    agpu_record_u64(row, "irq_enable", agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE));
    if ((env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0) {
        agpu_record_u64(row, "error_count", agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_COUNT));
        agpu_record_u64(row, "error_code", agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_CODE));
        agpu_record_u64(row, "error_fence", agpu_reg_read64(function, AEROGPU_MMIO_REG_ERROR_FENCE_LO));
    }
}

void agpu_view_ring(struct agpu_record *row, const struct agpu_env *env)
{
    char buffer[400];
    struct agpu_text text;

    agpu_record_u64(row, "up", env->ring.memory.cpu != NULL || env->legacy.entries.cpu != NULL);
    if (!env->abi.legacy && !agpu_reg_gone(&env->function)) {
        view_versioned(row, env);
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_state_describe(env, &text);
    agpu_record_string(row, "state", buffer);
}

const char *agpu_view_check_register(const struct agpu_env *env, uint64_t offset, uint64_t width)
{
    if (width != 4 && width != 8) {
        return "expected a width of 4 or 8 bytes";
    }
    if (offset % 4 != 0) {
        return "registers lie at multiples of 4";
    }
    if (offset > env->function.bars[0].size || width > env->function.bars[0].size - offset) {
        return "the register lies past the end of BAR0";
    }
    return NULL;
}

static void add_block(struct agpu_view_block *out, unsigned *count, const char *name,
                      const struct agpu_dma *memory)
{
    if (memory->cpu != NULL && memory->size != 0 && *count < AGPU_VIEW_BLOCKS_MAX) {
        out[(*count)++] = (struct agpu_view_block){name, memory};
    }
}

unsigned agpu_view_blocks(const struct agpu_env *env, struct agpu_view_block out[AGPU_VIEW_BLOCKS_MAX])
{
    static const char *const memory[AGPU_RIG_MEMORY_COUNT] = {"memory1", "memory2", "memory3", "memory4"};
    unsigned count = 0;

    add_block(out, &count, "ring", &env->ring.memory);
    add_block(out, &count, "fence_page", &env->ring.page);
    add_block(out, &count, "legacy_ring", &env->legacy.entries);
    add_block(out, &count, "legacy_descriptors", &env->legacy.descriptors);
    if (env->rig.function != NULL) {
        add_block(out, &count, "stream", &env->rig.cmd);
        add_block(out, &count, "table", &env->rig.table);
        for (unsigned i = 0; i < AGPU_RIG_MEMORY_COUNT; i++) {
            add_block(out, &count, memory[i], &env->rig.memory[i]);
        }
    }
    return count;
}

const void *agpu_view_memory(const struct agpu_env *env, uint64_t address, uint64_t size)
{
    struct agpu_view_block blocks[AGPU_VIEW_BLOCKS_MAX];
    const unsigned count = agpu_view_blocks(env, blocks);

    for (unsigned i = 0; i < count; i++) {
        const struct agpu_dma *memory = blocks[i].memory;
        const uint64_t at = address - memory->device_address;

        if (address >= memory->device_address && at <= memory->size && size <= memory->size - at) {
            return (const uint8_t *)memory->cpu + at;
        }
    }
    return NULL;
}
