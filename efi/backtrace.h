/* backtrace.h: call stack of interrupted code, from the image's own unwind tables. */
#ifndef AGPU_EFI_BACKTRACE_H
#define AGPU_EFI_BACKTRACE_H

#include "efi/trap.h"

#define AGPU_BACKTRACE_MAX 24u

/* Fills offsets into the image, innermost first, at most max, and returns their number: the interrupted
 * instruction, then the calls that led to it. Reads the stack from frame->rsp to stack_end only. After a jump
 * outside the image only the caller is listed. */
unsigned agpu_backtrace(const struct agpu_trap_frame *frame, uint64_t stack_end, uint64_t *offsets,
                        unsigned max);

/* Asks the firmware where the image was loaded. Before this call agpu_image_holds() is false for every
 * address. */
void agpu_image_find(void);
uint64_t agpu_image_base(void);
bool agpu_image_holds(uint64_t address);

#endif
