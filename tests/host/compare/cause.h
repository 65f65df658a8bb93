/* cause.h: which differences have one cause: a key of what a shrunk program still needs. */
#ifndef AGPU_HOST_COMPARE_CAUSE_H
#define AGPU_HOST_COMPARE_CAUSE_H

#include <stdbool.h>

#include "tests/host/compare/difference.h"

/* The key: kind of the difference, which device has more or less, and what decides: a register, packets, damage of a
 * structure. Of a shrunk program what it only needs to get there, or to show it, is left out, so that one fault that is seen
 * by two ways has one key; two that differ in the deciding register, packet, damage or direction never have. */
void agpu_cmp_signature(const struct agpu_cmp_program *program, const struct agpu_cmp_difference *difference,
                        char text[AGPU_CMP_TEXT]);

/* A device that did not return from a call: text is what its process said last. */
bool agpu_cmp_is_hang(const char *text);
/* The key of a hang, by that text alone: each costs the time of --hang to see, so that one is not taken apart for its
 * packets. */
void agpu_cmp_hang_signature(int who, const char *text, char key[AGPU_CMP_TEXT]);

/* Puts into program what memory of the difference's region holds at the start: bytes that nobody takes for zeros. Where they
 * stand, what is not written shows by itself, and packets that only provide other contents can go. */
void agpu_cmp_prefill(const struct agpu_cmp_program *from, uint32_t region, struct agpu_cmp_program *to);
#define AGPU_CMP_PREFILLED 1u /* steps that it puts in front */

/* Runs the program, which ends with the difference, for what else differs behind it: interrupts and errors where the step
 * that shows it is no look, who has written where memory differs. */
void agpu_cmp_look_closer(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program,
                          struct agpu_cmp_difference *difference);

#endif
