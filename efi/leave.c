/* leave.c: drains the queues and leaves. */
#include "efi/leave.h"

#include "efi/clock.h"
#include "efi/machine.h"
#include "efi/net/net.h"
#include "efi/net/tcp_sink.h"
#include "efi/net/uplink.h"
#include "efi/pump.h"
#include "efi/serial.h"

#define NETWORK_UP_BOUND_NS   (3 * AGPU_NS_PER_S)  /* without a packet sent, while some are queued */
#define NETWORK_ALL_BOUND_NS  (30 * AGPU_NS_PER_S) /* in all cases */
#define NETWORK_DOWN_BOUND_NS (AGPU_NS_PER_S / 2)
/* Collector's machine refuses connections: time for one more attempt. */
#define REFUSED_BOUND_NS    (AGPU_UPLINK_PAUSE_MAX_NS + AGPU_NS_PER_S)
#define STREAM_BOUND_NS     (30 * AGPU_NS_PER_S)  /* without an acknowledgement: the cable may come back */
#define STREAM_ALL_BOUND_NS (120 * AGPU_NS_PER_S) /* in all cases */
#define SERIAL_BOUND_NS     (60 * AGPU_NS_PER_S)  /* 512 KiB at 115200 baud take 45 s */
#define CRASH_BOUND_NS      AGPU_NS_PER_S

/* True when nothing is left that is worth waiting for. moved: time of the network's last progress. */
static bool network_done(uint64_t now, uint64_t began, uint64_t moved)
{
    uint64_t bound = NETWORK_UP_BOUND_NS, all = NETWORK_ALL_BOUND_NS;

    if (agpu_net_state() != AGPU_NET_UP) {
        bound = NETWORK_DOWN_BOUND_NS;
    } else if (agpu_net_stream_waiting() != 0 && agpu_tcp_sink_is_refused()) {
        bound = REFUSED_BOUND_NS;
    } else if (agpu_net_stream_waiting() != 0) {
        bound = STREAM_BOUND_NS;
        all = STREAM_ALL_BOUND_NS;
    }
    return agpu_net_acknowledged() || now - moved > bound || now - began > all;
}

void agpu_leave_drain(void)
{
    uint64_t began = agpu_clock_ns(NULL), moved = began;
    uint64_t waiting = agpu_net_waiting();

    for (;;) {
        uint64_t now = agpu_clock_ns(NULL);
        uint64_t waited = now - began;
        bool network = network_done(now, began, moved);
        bool serial = agpu_serial_drained() || waited > SERIAL_BOUND_NS;

        if (network && serial) {
            return;
        }
        agpu_pump();
        agpu_pause();
        if (agpu_net_waiting() < waiting) {
            waiting = agpu_net_waiting();
            moved = now;
        }
    }
}

static void reset_machine(EFI_RESET_TYPE type)
{
    agpu_system->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
}

static void halt_machine(void)
{
    for (;;) {
        __asm__ volatile("hlt");
    }
}

void agpu_leave(enum agpu_at_end at_end)
{
    switch (at_end) {
    case AGPU_AT_END_POWEROFF:
        reset_machine(EfiResetShutdown);
        break;
    case AGPU_AT_END_REBOOT:
        reset_machine(EfiResetCold);
        break;
    case AGPU_AT_END_HALT:
        halt_machine();
        break;
    case AGPU_AT_END_SHELL:
        break;
    }
}

void agpu_leave_crashed(enum agpu_at_end at_end)
{
    agpu_serial_hush();
    /* The serial port first: it depends on the least that may be broken. */
    uint64_t until = agpu_clock_ns(NULL) + CRASH_BOUND_NS;

    while (!agpu_serial_drained() && agpu_clock_ns(NULL) < until) {
        agpu_serial_poll();
    }
    until = agpu_clock_ns(NULL) + CRASH_BOUND_NS;
    while (!agpu_net_drained() && agpu_clock_ns(NULL) < until) {
        agpu_net_poll();
    }
    agpu_leave(at_end == AGPU_AT_END_SHELL ? AGPU_AT_END_HALT : at_end);
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}
