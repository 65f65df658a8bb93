/* pump.c: frequency of service rounds during a wait. */
#include "efi/pump.h"

#include "efi/clock.h"
#include "efi/control/service.h"
#include "efi/machine.h"
#include "efi/net/net.h"
#include "efi/screen.h"
#include "efi/serial.h"

/* A round with nothing to do takes 3 us on OVMF under TCG (virtio-net): one per 0.5 ms is less than a
 * hundredth of a wait, and frequent enough for every protocol. The processor pauses between rounds, which
 * under emulation lets the device's process run. */
static const struct {
    uint64_t round_every_ns;
    unsigned pauses;
} profiles[] = {
    [AGPU_RELAX_FENCE] = {500000, 4},   /* latency counts: polled again within a microsecond */
    [AGPU_RELAX_RESET] = {500000, 16},  /* done within one service point of the device */
    [AGPU_RELAX_ROOM] = {500000, 16},   /* a slot frees when a whole submission ends */
    [AGPU_RELAX_VBLANK] = {500000, 64}, /* milliseconds away */
    [AGPU_RELAX_IDLE] = {0, 1},         /* the caller wants the round itself */
};

static uint64_t next_round_ns;

void agpu_pump(void)
{
    agpu_net_poll();
    agpu_serial_poll();
    agpu_screen_poll();
    agpu_control_poll();
}

void agpu_pump_out(uint64_t bound_ns)
{
    const uint64_t until = agpu_clock_ns(NULL) + bound_ns;

    agpu_pump();
    while (agpu_net_state() == AGPU_NET_UP && !agpu_net_drained() && agpu_clock_ns(NULL) < until) {
        agpu_pump();
        agpu_pause();
    }
}

void agpu_pump_relax(enum agpu_relax_reason reason)
{
    uint64_t now = agpu_clock_ns(NULL);

    if (now >= next_round_ns || !profiles[reason].round_every_ns) {
        agpu_pump();
        next_round_ns = now + profiles[reason].round_every_ns;
        return;
    }
    for (unsigned i = 0; i < profiles[reason].pauses; i++) {
        agpu_pause();
    }
}
