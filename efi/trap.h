/* trap.h: the image's own interrupt descriptor table, in front of the firmware's. It gets every interrupt and
 * exception, and passes those that the image does not handle to the firmware (Intel SDM volume 3, 6.10 to
 * 6.14). */
#ifndef AGPU_EFI_TRAP_H
#define AGPU_EFI_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_TRAP_VECTORS 256u
/* Vectors below this are processor exceptions, the others interrupts. */
#define AGPU_TRAP_FIRST_INTERRUPT 32u
#define AGPU_EXCEPTION_PAGE_FAULT 14u

/* Numbers of general registers in r[]; the others are r8 to r15. */
enum agpu_register { AGPU_RAX, AGPU_RCX, AGPU_RDX, AGPU_RBX, AGPU_RSP, AGPU_RBP, AGPU_RSI, AGPU_RDI };

/* State of the interrupted code, on the stack; it resumes with any changes made here. */
struct agpu_trap_frame {
    uint64_t r[16]; /* r[AGPU_RSP] is not used: rsp below */
    uint64_t vector;
    uint64_t error; /* 0 for a vector that has none */
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Runs with interrupts off, on the stack of the interrupted code. True: handled; execution resumes as frame
 * says. False: the firmware's handler of the vector runs next, and frame applies after it. */
typedef bool (*agpu_trap_handler)(struct agpu_trap_frame *frame);

/* Installs the table; without handlers everything is passed to the firmware. */
void agpu_trap_open(void);

/* Calls body(arg) on another processor, with the installed table instead of the firmware's. */
void agpu_trap_beside(void (*body)(void *arg), void *arg);

/* Restores the firmware's table. */
void agpu_trap_close(void);

/* Sets the handler of a vector; NULL: the firmware's. */
void agpu_trap_set(unsigned vector, agpu_trap_handler handler);

/* Sets a function that runs first on every interrupt without a handler of the image; the firmware's timer is
 * one of these on every machine. NULL: none. */
void agpu_trap_set_tick(void (*tick)(struct agpu_trap_frame *frame));

#endif
