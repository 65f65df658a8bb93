/* message.c: MSI and MSI-X. The MSI-X table lies in a BAR, which can be written only while memory decode is on. */
#include "pci/message.h"

#include "pci/capability.h"

#define CONTROL      2u
#define MSI_ENABLE   0x0001u
#define MSI_MULTIPLE 0x0070u
#define MSI_WIDE     0x0080u
#define MSI_MASKS    0x0100u
#define MSI_ADDRESS  4u
#define MSI_UPPER    8u

#define MSIX_TABLE    4u
#define MSIX_PENDING  8u
#define MSIX_FUNCTION 0x4000u /* mask of the whole function */
#define MSIX_ENABLE   0x8000u
#define MSIX_BAR_MASK 7u
#define MSIX_CONTROL  3u /* word of an entry */
#define MSIX_MASKED   1u

bool agpu_message_find(const struct agpu_function *function, bool extended, struct agpu_message *message)
{
    *message = (struct agpu_message){
        .extended = extended,
        .capability = agpu_capability_find(function, extended ? AGPU_CAPABILITY_MSIX : AGPU_CAPABILITY_MSI),
    };
    if (message->capability == 0) {
        return false;
    }
    message->control = agpu_config_read(function, message->capability + CONTROL, 2);
    return true;
}

/* ---- MSI ---- */

static void msi_write(const struct agpu_function *function, const struct agpu_message *message,
                      const uint32_t words[4])
{
    const uint32_t at = message->capability;
    const bool wide = (message->control & MSI_WIDE) != 0;
    const uint32_t data_at = at + (wide ? 12u : 8u);

    agpu_config_write(function, at + MSI_ADDRESS, 4, words[0]);
    if (wide) {
        agpu_config_write(function, at + MSI_UPPER, 4, words[1]);
    }
    agpu_config_write(function, data_at, 2, words[2]);
    if ((message->control & MSI_MASKS) != 0) {
        agpu_config_write(function, data_at + 4, 4, words[3]);
    }
}

static void msi_open(const struct agpu_function *function, struct agpu_message *message, uint64_t address,
                     uint32_t data)
{
    const uint32_t at = message->capability;
    const bool wide = (message->control & MSI_WIDE) != 0;
    const uint32_t data_at = at + (wide ? 12u : 8u);

    message->found[0] = agpu_config_read(function, at + MSI_ADDRESS, 4);
    message->found[1] = wide ? agpu_config_read(function, at + MSI_UPPER, 4) : 0;
    message->found[2] = agpu_config_read(function, data_at, 2);
    message->found[3] = (message->control & MSI_MASKS) != 0 ? agpu_config_read(function, data_at + 4, 4) : 0;
    msi_write(
        function, message,
        (const uint32_t[4]){(uint32_t)address, (uint32_t)(address >> 32), data, message->found[3] & ~1u});
    agpu_config_write(function, at + CONTROL, 2, (message->control & ~MSI_MULTIPLE) | MSI_ENABLE);
}

/* ---- MSI-X ---- */

static uint32_t table_read(const struct agpu_function *function, uint32_t place, unsigned word)
{
    const struct agpu_platform *platform = function->platform;

    return (uint32_t)platform->bar_read(platform->ctx, &function->found.ref, place & MSIX_BAR_MASK,
                                        (place & ~MSIX_BAR_MASK) + 4u * word, 4);
}

static void table_write(const struct agpu_function *function, uint32_t place, unsigned word, uint32_t value)
{
    const struct agpu_platform *platform = function->platform;

    platform->bar_write(platform->ctx, &function->found.ref, place & MSIX_BAR_MASK,
                        (place & ~MSIX_BAR_MASK) + 4u * word, 4, value);
}

static uint32_t place_of(const struct agpu_function *function, const struct agpu_message *message,
                         uint32_t which)
{
    return agpu_config_read(function, message->capability + which, 4);
}

static void msix_open(const struct agpu_function *function, struct agpu_message *message, uint64_t address,
                      uint32_t data)
{
    const uint32_t table = place_of(function, message, MSIX_TABLE);
    const uint32_t at = message->capability + CONTROL;

    /* With the whole function masked, it sends nothing while the entry is half written. */
    agpu_config_write(function, at, 2, message->control | MSIX_ENABLE | MSIX_FUNCTION);
    for (unsigned i = 0; i < 4; i++) {
        message->found[i] = table_read(function, table, i);
    }
    table_write(function, table, MSIX_CONTROL, message->found[MSIX_CONTROL] | MSIX_MASKED);
    table_write(function, table, 0, (uint32_t)address);
    table_write(function, table, 1, (uint32_t)(address >> 32));
    table_write(function, table, 2, data);
    table_write(function, table, MSIX_CONTROL, message->found[MSIX_CONTROL] & ~MSIX_MASKED);
    agpu_config_write(function, at, 2, (message->control | MSIX_ENABLE) & ~MSIX_FUNCTION);
}

static void msix_close(const struct agpu_function *function, const struct agpu_message *message)
{
    const uint32_t table = place_of(function, message, MSIX_TABLE);
    const uint32_t at = message->capability + CONTROL;

    agpu_config_write(function, at, 2, message->control | MSIX_ENABLE | MSIX_FUNCTION);
    for (unsigned i = 4; i-- != 0;) { /* the mask first */
        table_write(function, table, i, message->found[i]);
    }
    agpu_config_write(function, at, 2, message->control);
}

void agpu_message_mask(const struct agpu_function *function, const struct agpu_message *message, bool masked)
{
    const uint32_t table = place_of(function, message, MSIX_TABLE);
    const uint32_t others = message->found[MSIX_CONTROL] & ~MSIX_MASKED;

    table_write(function, table, MSIX_CONTROL, masked ? others | MSIX_MASKED : others);
    (void)table_read(function, table, MSIX_CONTROL); /* the read flushes the write */
}

bool agpu_message_is_pending(const struct agpu_function *function, const struct agpu_message *message)
{
    return (table_read(function, place_of(function, message, MSIX_PENDING), 0) & 1u) != 0;
}

/* ---- either ---- */

void agpu_message_open(const struct agpu_function *function, struct agpu_message *message, uint64_t address,
                       uint32_t data)
{
    if (message->extended) {
        msix_open(function, message, address, data);
    } else {
        msi_open(function, message, address, data);
    }
}

void agpu_message_close(const struct agpu_function *function, const struct agpu_message *message)
{
    if (message->extended) {
        msix_close(function, message);
        return;
    }
    agpu_config_write(function, message->capability + CONTROL, 2, message->control);
    msi_write(function, message, message->found);
}
