/* trap.h: an interrupt descriptor table of the image's own, in front of the firmware's: every interrupt and
 * exception comes by here, and what is not ours goes on to the firmware (Intel SDM volume 3, 6.10 to 6.14). */
#ifndef AGPU_EFI_TRAP_H
#define AGPU_EFI_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_TRAP_VECTORS 256u
/* Below are the processor's exceptions, from here on interrupts. */
#define AGPU_TRAP_FIRST_INTERRUPT 32u
#define AGPU_EXCEPTION_PAGE_FAULT 14u

/* Numbers of general registers in r[]; the others are r8 to r15. */
enum agpu_register { AGPU_RAX, AGPU_RCX, AGPU_RDX, AGPU_RBX, AGPU_RSP, AGPU_RBP, AGPU_RSI, AGPU_RDI };

/* What was interrupted, on the stack; changed, it goes on as changed. */
struct agpu_trap_frame {
    uint64_t r[16]; /* r[AGPU_RSP] is not used: rsp below */
    uint64_t vector;
    uint64_t error; /* 0 for a vector that has none */
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Runs with interrupts off, on the stack of what was interrupted. True: it was ours, and goes on as frame says.
 * False: the firmware's handler of the vector comes next, and frame applies after it. */
typedef bool (*agpu_trap_handler)(struct agpu_trap_frame *frame);

/* Puts the table in; without handlers everything goes on to the firmware. */
void agpu_trap_open(void);

/* Puts the firmware's table back. */
void agpu_trap_close(void);

/* Who handles a vector; NULL: the firmware. */
void agpu_trap_set(unsigned vector, agpu_trap_handler handler);

/* Is called first on every interrupt that has no handler of ours: the firmware's timer is one of them, on every
 * machine. NULL: nobody. */
void agpu_trap_set_tick(void (*tick)(struct agpu_trap_frame *frame));

#endif
