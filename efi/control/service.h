/* service.h: control of the running image (tests/host/ctl/README.md): its server and its monitor, put together; and what cases
 * have to do with it. Off unless agpu.cfg has control= and key=. */
#ifndef AGPU_EFI_CONTROL_SERVICE_H
#define AGPU_EFI_CONTROL_SERVICE_H

#include "efi/config.h"
#include "efi/control/monitor.h"
#include "tests/cases/harness/stream.h"

/* As config has it now; what it says later changes nothing. monitor: all but its clock. What is missing is said as a warning. */
void agpu_control_open(struct agpu_stream *stream, const struct agpu_config *config,
                       const struct agpu_monitor_config *monitor);

bool agpu_control_is_open(void);
/* And is there a network, or a serial port, over which somebody may ask? */
bool agpu_control_is_reachable(void);

/* Have all answers arrived? */
bool agpu_control_sent(void);
/* Clients are told that the image leaves; from then on none is taken. */
void agpu_control_leave(void);

/* Carries out the request that waits, if any; it may run cases. For when none run. */
void agpu_control_serve(void);
/* The same behind the cases, when the image is about to leave: what waits for the end of the last one is answered, and nothing is
 * begun any more. */
void agpu_control_finish(void);
/* While cases run, in a pump: answers it as far as that is possible in a case. */
void agpu_control_poll(void);

/* What was asked for last; forgotten then. */
enum agpu_monitor_wish agpu_control_wish(void);
/* Whether that is to begin anew, which is not put off until the cases have run. */
bool agpu_control_wants_reboot(void);

/* The fixture with which cases run, so that requests are answered between them, and stop them. of must stay. */
const struct agpu_fixture *agpu_control_fixture(const struct agpu_fixture *of);
/* A case comes, or the numbers of the run have changed. */
void agpu_control_case(const char *id);
void agpu_control_count(const struct agpu_summary *summary);

/* No device is the monitor's any more. */
void agpu_control_release(void);

#endif
