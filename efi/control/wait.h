/* wait.h: control=wait: the image stands still until somebody tells it what to do. */
#ifndef AGPU_EFI_CONTROL_WAIT_H
#define AGPU_EFI_CONTROL_WAIT_H

#include "efi/control/monitor.h"
#include "tests/cases/harness/stream.h"

/* Serves clients, says each second that it is alive, and keeps the watchdogs quiet until one asks for something that ends the
 * wait. AGPU_MONITOR_GO at once, with a warning, when control is off or nobody can say anything. */
enum agpu_monitor_wish agpu_control_wait(struct agpu_stream *stream);

/* Answers what is still asked, gives that two seconds at most to arrive, and then as many to tell clients that the image leaves. */
void agpu_control_drain(void);

#endif
