/* observe.h: compares the device with the reference. */
#ifndef AGPU_CASES_EXPLORE_OBSERVE_H
#define AGPU_CASES_EXPLORE_OBSERVE_H

#include "tests/cases/explore/beside.h"

/* Depth of a comparison. */
enum agpu_explore_depth {
    AGPU_EXPLORE_PREDICTED, /* memory with predicted writes; registers of fences, errors and interrupts */
    AGPU_EXPLORE_REGISTERS, /* also all other registers and the interrupt line */
    AGPU_EXPLORE_ALL,       /* also memory without predicted writes */
};

/* Waits until the device has done what is predicted, then compares. The result is in explore->mismatch. */
void agpu_explore_observe(struct agpu_explore *explore, enum agpu_explore_depth depth);
/* Compares one read of a register. */
void agpu_explore_read(struct agpu_explore *explore, uint32_t offset, uint32_t size);
/* Gives the reference the time, or the vblank edges since the last call. Returns whether there was an edge. */
bool agpu_explore_follow(struct agpu_explore *explore);
/* Returns whether the device's vblank counter counts, without simulated time. */
bool agpu_explore_counts_edges(const struct agpu_explore *explore);
/* Returns the number of edges that the reference does not know yet. Registers must answer. */
uint64_t agpu_explore_new_edges(const struct agpu_explore *explore);
uint64_t agpu_explore_now(struct agpu_explore *explore);
/* Returns whether registers answer. */
bool agpu_explore_decodes(const struct agpu_explore *explore);
/* Returns the value that the reference has for a register of which all bits are known. */
uint32_t agpu_explore_register(const struct agpu_explore *explore, uint32_t offset);
/* Returns the fence that the reference has in COMPLETED_FENCE. */
uint64_t agpu_explore_completed(const struct agpu_explore *explore);
/* The CPU's writes of this step are what memory must have. */
void agpu_explore_take_ranges(struct agpu_explore *explore);

#endif
