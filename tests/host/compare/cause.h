/* cause.h: finds differences with the same cause: a key from what a reduced program still needs. */
#ifndef AGPU_HOST_COMPARE_CAUSE_H
#define AGPU_HOST_COMPARE_CAUSE_H

#include <stdbool.h>

#include "tests/host/compare/difference.h"

/* Computes the key: kind of the difference, which device has more or less, and the deciding element: a register,
 * packets, damage of a structure. Leaves out what a reduced program only needs for setup or for showing the
 * difference, so that one fault seen in two ways has one key. Faults that differ in the deciding register, packet,
 * damage or direction never share a key. */
void agpu_cmp_signature(const struct agpu_gen_program *program, const struct agpu_cmp_difference *difference,
                        char text[AGPU_CMP_TEXT]);

/* Returns true when the device did not return from a call: text is the last output of its process. */
bool agpu_cmp_is_hang(const char *text);
/* Computes the key of a hang from that text alone: every further run would take the time of --hang, so hangs are not
 * analysed for their packets. */
void agpu_cmp_hang_signature(int who, const char *text, char key[AGPU_CMP_TEXT]);

/* Adds to program initial contents, different from zeros, for memory of the difference's region. Missing writes then
 * show by themselves, and packets that only provide other contents can be removed. */
void agpu_cmp_prefill(const struct agpu_gen_program *from, uint32_t region, struct agpu_gen_program *to);
#define AGPU_CMP_PREFILLED 1u /* steps that it inserts in front */

/* Runs the program, which ends with the difference, to collect details: interrupts and errors if the last step is
 * not a look, and which device wrote where memory differs. */
void agpu_cmp_find_cause(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                         struct agpu_cmp_difference *difference);

#endif
