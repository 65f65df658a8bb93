/* service.h: control of the running image (tests/handbook/control.md): connects server and monitor, and hooks
 * them into the run. Off unless agpu.cfg has control= and key=. */
#ifndef AGPU_EFI_CONTROL_SERVICE_H
#define AGPU_EFI_CONTROL_SERVICE_H

#include "efi/config.h"
#include "efi/control/monitor.h"
#include "tests/cases/harness/stream.h"

/* Reads config now; later changes have no effect. monitor: all members but the clock. Missing prerequisites
 * are reported as a warning. */
void agpu_control_open(struct agpu_stream *stream, const struct agpu_config *config,
                       const struct agpu_monitor_config *monitor);

bool agpu_control_is_open(void);
/* True when, in addition, there is a network or serial port for requests. */
bool agpu_control_is_reachable(void);

/* True when all answers have arrived. */
bool agpu_control_sent(void);
/* Tells clients that the image leaves; accepts none from then on. */
void agpu_control_leave(void);

/* Carries out the pending request, if any; it may run cases. Call only when no cases run. */
void agpu_control_serve(void);
/* Call after the cases, when the image is about to leave: answers requests that waited for the end of the last case,
 * and starts nothing new. */
void agpu_control_finish(void);
/* Call from the pump while cases run: answers requests that are possible during a case. */
void agpu_control_poll(void);

/* Returns and clears the last requested action. */
enum agpu_monitor_wish agpu_control_wish(void);
/* True when that action is a reboot, which does not wait for the end of the cases. */
bool agpu_control_wants_reboot(void);

/* Wraps the fixture of the cases, so that requests are served between cases and can stop them. of must stay
 * valid. */
const struct agpu_fixture *agpu_control_fixture(const struct agpu_fixture *of);
/* A case starts; the totals of the run changed. */
void agpu_control_case(const char *id);
void agpu_control_count(const struct agpu_summary *summary);

/* The monitor gives up its device. */
void agpu_control_release(void);

#endif
