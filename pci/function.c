/* function.c: command register and BARs of one function. */
#include "pci/function.h"

#include "pci/protocol/aerogpu_pci.h"

uint32_t agpu_config_read(const struct agpu_function *function, uint32_t offset, uint32_t size)
{
    return function->platform->config_read(function->platform->ctx, &function->found.ref, offset, size);
}

void agpu_config_write(const struct agpu_function *function, uint32_t offset, uint32_t size, uint32_t value)
{
    function->platform->config_write(function->platform->ctx, &function->found.ref, offset, size, value);
}

uint16_t agpu_command_read(const struct agpu_function *function)
{
    return (uint16_t)agpu_config_read(function, AGPU_PCI_COMMAND, 2);
}

void agpu_command_write(const struct agpu_function *function, uint16_t command)
{
    agpu_config_write(function, AGPU_PCI_COMMAND, 2, command);
}

/* Returns the size of a BAR of one or two dwords: the lowest address bit that can be written. 0 when none can. */
static uint64_t probe_bar_size(const struct agpu_function *function, unsigned index, bool wide)
{
    uint32_t low_saved = function->saved_bars[index];
    uint64_t mask;

    agpu_config_write(function, AGPU_PCI_BAR(index), 4, UINT32_MAX);
    mask = agpu_config_read(function, AGPU_PCI_BAR(index), 4) & ~(uint64_t)AGPU_PCI_BAR_FLAGS;
    agpu_config_write(function, AGPU_PCI_BAR(index), 4, low_saved);
    if (wide) {
        uint32_t high_saved = function->saved_bars[index + 1];

        agpu_config_write(function, AGPU_PCI_BAR(index + 1), 4, UINT32_MAX);
        mask |= (uint64_t)agpu_config_read(function, AGPU_PCI_BAR(index + 1), 4) << 32;
        agpu_config_write(function, AGPU_PCI_BAR(index + 1), 4, high_saved);
    }
    return mask & (0 - mask);
}

static void size_bars(struct agpu_function *function)
{
    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT; i++) {
        function->saved_bars[i] = agpu_config_read(function, AGPU_PCI_BAR(i), 4);
    }

    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT; i++) {
        uint32_t raw = function->saved_bars[i];
        struct agpu_bar_info *bar = &function->bars[i];

        *bar = (struct agpu_bar_info){0};
        if (raw & AGPU_PCI_BAR_IO) {
            continue;
        }
        bar->is_64bit = (raw & AGPU_PCI_BAR_TYPE_MASK) == AGPU_PCI_BAR_TYPE_64 && i + 1 < AGPU_PCI_BAR_COUNT;
        bar->prefetchable = (raw & AGPU_PCI_BAR_PREFETCHABLE) != 0;
        bar->size = probe_bar_size(function, i, bar->is_64bit);
        bar->address = raw & ~(uint32_t)AGPU_PCI_BAR_FLAGS;
        if (bar->is_64bit) {
            bar->address |= (uint64_t)function->saved_bars[i + 1] << 32;
            function->bars[++i] = (struct agpu_bar_info){0};
        }
    }
}

static enum agpu_status refuse_function(struct agpu_text *why, enum agpu_status status,
                                        const struct agpu_function *function, const char *reason)
{
    if (why != NULL) {
        agpu_pci_describe(why, &function->found);
        agpu_format(why, ": %s", reason);
    }
    return status;
}

static enum agpu_status check_identity(const struct agpu_function *function, struct agpu_text *why)
{
    const struct agpu_identity *identity = function->found.identity;

    if (identity == NULL) {
        return refuse_function(why, AGPU_ERR_INVALID, function, "not an AeroGPU identity");
    }
    if (identity->kind != AGPU_IDENTITY_RETIRED) {
        return AGPU_OK;
    }
    return refuse_function(why, AGPU_ERR_INVALID, function,
                           "retired prototype: must not be bound, replace the device");
}

enum agpu_status agpu_function_open(struct agpu_function *function, const struct agpu_platform *platform,
                                    const struct agpu_pci_found *found, struct agpu_text *why)
{
    enum agpu_status status;

    *function = (struct agpu_function){.platform = platform, .found = *found};
    status = check_identity(function, why);
    if (status != AGPU_OK) {
        return status;
    }
    if (agpu_config_read(function, AGPU_PCI_VENDOR_ID, 2) != found->vendor) {
        return refuse_function(why, AGPU_ERR_NO_DEVICE, function,
                               "no longer answers with its vendor id: check whether it was unplugged");
    }

    function->saved_command = agpu_command_read(function);
    /* With decode on, a probed BAR would answer at a wrong address for a moment. */
    agpu_command_write(function,
                       function->saved_command & (uint16_t) ~(AGPU_PCI_COMMAND_IO | AGPU_PCI_COMMAND_MEMORY));
    size_bars(function);
    if (function->bars[AEROGPU_PCI_BAR0_INDEX].size < AEROGPU_PCI_BAR0_SIZE_BYTES) {
        agpu_command_write(function, function->saved_command);
        if (why != NULL) {
            refuse_function(why, AGPU_ERR_NO_DEVICE, function,
                            "BAR0 should be 64 KiB of memory, has bytes: ");
            agpu_format(why, "%ju", function->bars[AEROGPU_PCI_BAR0_INDEX].size);
        }
        return AGPU_ERR_NO_DEVICE;
    }
    if (function->bars[AEROGPU_PCI_BAR0_INDEX].address == 0) {
        agpu_command_write(function, function->saved_command);
        return refuse_function(why, AGPU_ERR_NO_DEVICE, function,
                               "BAR0 has no address: firmware must assign it");
    }
    agpu_function_restore(function);
    return AGPU_OK;
}

void agpu_function_close(struct agpu_function *function)
{
    agpu_command_write(function, function->saved_command);
}

void agpu_function_restore(const struct agpu_function *function)
{
    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT; i++) {
        if (agpu_config_read(function, AGPU_PCI_BAR(i), 4) != function->saved_bars[i]) {
            agpu_config_write(function, AGPU_PCI_BAR(i), 4, function->saved_bars[i]);
        }
    }
    agpu_function_enable(function);
}

void agpu_function_enable(const struct agpu_function *function)
{
    agpu_command_write(function, (uint16_t)((function->saved_command & ~AGPU_PCI_COMMAND_INTX_OFF) |
                                            AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER));
}
