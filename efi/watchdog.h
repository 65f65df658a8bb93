/* watchdog.h: timers that reset the machine when the image stops responding: the firmware's, which needs its
 * interrupts, and the chipset's (TCO of Intel's ICH and PCH up to series 9), which needs nothing. */
#ifndef AGPU_EFI_WATCHDOG_H
#define AGPU_EFI_WATCHDOG_H

/* Arms the timers that exist, for this many seconds; returns their description for the log. */
const char *agpu_watchdog_open(unsigned seconds);

/* Restarts the timers. Does nothing while closed. */
void agpu_watchdog_kick(void);

/* Restores all settings, except that the chipset's timer is halted, because nothing restarts it any more. */
void agpu_watchdog_close(void);

#endif
