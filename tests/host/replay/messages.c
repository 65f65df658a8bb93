/* messages.c: MSI and MSI-X of a replayed device (device.md 1.1, 4.4). */
#include "tests/host/replay/messages.h"

#include "pci/capability.h"
#include "pci/function.h"
#include "pci/message.h"

/* Not in the captured memory; a message is counted, not written. */
#define MESSAGE_ADDRESS UINT64_C(0xFEE00000)
#define MESSAGE_DATA    0x40u

/* ---- the device, as a driver looks at a function: its messages are set up by a driver (pci/message.h) ---- */

static bool is_inside(const struct vgpu_port *port, unsigned bar, uint64_t offset, uint32_t size)
{
    const uint64_t room = bar < AGPU_DEVICE_BARS ? vgpu_port_info(port)->bars[bar].size : 0;

    return offset <= room && size <= room - offset;
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    (void)function;
    return vgpu_port_config_read(ctx, offset, size);
}

static void config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value)
{
    (void)function;
    vgpu_port_config_write(ctx, offset, size, value);
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    (void)function;
    return is_inside(ctx, bar, offset, size) ? vgpu_port_bar_read(ctx, bar, offset, size) : UINT32_MAX;
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value)
{
    (void)function;
    if (is_inside(ctx, bar, offset, size)) {
        vgpu_port_bar_write(ctx, bar, offset, size, value);
    }
}

/* ---- what is sent ---- */

static uint32_t sent_now(struct agpu_player *replay)
{
    return atomic_load_explicit(&replay->machine.messages, memory_order_acquire);
}

void agpu_replay_messages_begin(struct agpu_player *replay)
{
    replay->by_message = false;
    replay->messages_done = sent_now(replay);
    replay->fence_done = 0;
}

void agpu_replay_messages_way(struct agpu_player *replay, const struct agpu_capture_way *way)
{
    struct vgpu_port *port = replay->machine.port;
    const struct agpu_platform platform = {.ctx = port,
                                           .config_read = config_read,
                                           .config_write = config_write,
                                           .bar_read = bar_read,
                                           .bar_write = bar_write};
    const struct agpu_function function = {.platform = &platform};
    const bool extended = way->way == AGPU_CAPTURE_WAY_MSIX;

    if (replay->by_message) {
        agpu_message_close(&function, &replay->message);
    }
    agpu_replay_messages_begin(replay);
    if (way->way == AGPU_CAPTURE_WAY_LINE ||
        (extended ? vgpu_port_msix(port)->vectors : vgpu_port_info(port)->msi_vectors) == 0 ||
        !agpu_message_find(&function, extended, &replay->message)) {
        return;
    }
    replay->by_message = true;
    agpu_message_open(&function, &replay->message, MESSAGE_ADDRESS, MESSAGE_DATA);
}

void agpu_replay_messages_acknowledged(struct agpu_player *replay, uint64_t fence)
{
    replay->messages_done = sent_now(replay);
    replay->fence_done = fence;
}

bool agpu_replay_message_came(struct agpu_player *replay, const struct agpu_capture_line *line)
{
    return !replay->by_message || line->source == 0 || sent_now(replay) != replay->messages_done ||
           replay->fence_done >= replay->fence || (replay->judge.irq_enable & ~AEROGPU_IRQ_FENCE) != 0;
}
