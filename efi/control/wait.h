/* wait.h: control=wait: the image waits for requests. */
#ifndef AGPU_EFI_CONTROL_WAIT_H
#define AGPU_EFI_CONTROL_WAIT_H

#include "efi/control/monitor.h"
#include "tests/cases/harness/stream.h"

/* Serves clients, reports each second that it is alive, and feeds the watchdogs until a client asks for
 * something that ends the wait. Returns AGPU_MONITOR_GO at once, with a warning, when control is off or no
 * client can reach the image. */
enum agpu_monitor_wish agpu_control_wait(struct agpu_stream *stream);

/* Answers pending requests, allows two seconds for the answers to arrive, and two more to tell clients that
 * the image leaves. */
void agpu_control_drain(void);

#endif
