/* watchdog.h: timers that reset the machine when the image has not been heard of for so long: the firmware's, which needs its
 * interrupts, and the chipset's (TCO of Intel's ICH and PCH up to series 9), which needs nothing. */
#ifndef AGPU_EFI_WATCHDOG_H
#define AGPU_EFI_WATCHDOG_H

/* Arms what there is, for so many seconds, and returns what that is, for the log. */
const char *agpu_watchdog_open(unsigned seconds);

/* The image lives. Nothing while closed. */
void agpu_watchdog_kick(void);

/* Everything is as it was, but the chipset's, which is halted: nobody feeds it any more. */
void agpu_watchdog_close(void);

#endif
