/* wait.c: loop around the pump. */
#include "efi/control/wait.h"

#include "efi/clock.h"
#include "efi/control/service.h"
#include "efi/machine.h"
#include "efi/pump.h"
#include "efi/screen.h"
#include "efi/watchdog.h"

#define HEARTBEAT_NS AGPU_NS_PER_S
#define DRAIN_NS     (2 * AGPU_NS_PER_S)

static const char waiting[] = "control: waits for agpu ctl with the key of agpu.cfg: go, run, quit";

static void send_heartbeat(struct agpu_stream *stream)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_HEARTBEAT, NULL);
    agpu_record_u64(&record, AGPU_KEY(HEARTBEAT, elapsed_us), agpu_clock_ns(NULL) / 1000);
    agpu_stream_send(stream, &record);
}

enum agpu_monitor_wish agpu_control_wait(struct agpu_stream *stream)
{
    enum agpu_monitor_wish wish = AGPU_MONITOR_NOTHING;
    uint64_t beat_ns = 0;

    if (!agpu_control_is_open()) {
        return AGPU_MONITOR_GO; /* the reason was already logged */
    }
    agpu_stream_log(stream, AGPU_LOG_INFO, waiting);
    while (wish == AGPU_MONITOR_NOTHING) {
        const uint64_t now = agpu_clock_ns(NULL);

        if (!agpu_control_is_reachable()) {
            agpu_stream_log(stream, AGPU_LOG_WARNING,
                            "control=wait needs a network or serial in control=: without either no client "
                            "can connect, so the image does not wait");
            wish = AGPU_MONITOR_GO;
            break;
        }
        if (now - beat_ns >= HEARTBEAT_NS) {
            beat_ns = now;
            agpu_watchdog_kick();
            send_heartbeat(stream);
            agpu_screen_now(waiting); /* again after a run that a client asked for */
        }
        agpu_pump();
        agpu_control_serve();
        agpu_pause();
        wish = agpu_control_wish();
    }
    agpu_screen_now("");
    agpu_control_release();
    return wish;
}

/* Pumps until all answers have arrived. */
static void pump_answers(void)
{
    const uint64_t until = agpu_clock_ns(NULL) + DRAIN_NS;

    while (!agpu_control_sent() && agpu_clock_ns(NULL) < until) {
        agpu_pump();
        agpu_pause();
    }
}

void agpu_control_drain(void)
{
    agpu_pump();
    agpu_control_finish();
    pump_answers();
    agpu_control_leave();
    pump_answers();
    agpu_control_release();
}
