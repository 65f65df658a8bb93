/* play_memory.h: the memory of a capture during replay: its address here, what the device is shown, and its expected
 * contents. */
#ifndef AGPU_CAPTURE_PLAY_MEMORY_H
#define AGPU_CAPTURE_PLAY_MEMORY_H

#include "pci/machine/text.h"
#include "tests/capture/play_state.h"

/* Ends the replay: starts the text with the place in the capture. */
void agpu_play_differ(struct agpu_play *play, struct agpu_text *text);
void agpu_play_refuse(struct agpu_play *play, const char *why);

/* Translates an address of the capture for the device. If the capture has no memory there, or fewer bytes, returns an
 * address where this machine has none either. */
uint64_t agpu_play_move(const struct agpu_play *play, uint64_t address, uint64_t size);

/* Return the CPU address of the actual and of the expected contents; NULL if the capture has less memory there. */
uint8_t *agpu_play_live(const struct agpu_play *play, uint64_t address, uint64_t size);
const uint8_t *agpu_play_expected(const struct agpu_play *play, uint64_t address, uint64_t size);

/* Handles mappings and contents, which are stored until they are shown or compared. */
void agpu_play_memory(struct agpu_play *play, const struct agpu_capture_item *item);

/* Registers a submission: translates descriptor and table when they are shown; compares at rest what the table lets
 * the device write. */
void agpu_play_post(struct agpu_play *play, const struct agpu_capture_submission *submission);

/* Writes the stored contents to memory, the tail of the ring last. */
void agpu_play_show(struct agpu_play *play);

/* At rest: compares everything that the captured device changed, and everything that a table let this one write. */
void agpu_play_compare(struct agpu_play *play);

/* Prepares the ring to show when a reset has reached memory; tests for that. */
void agpu_play_poison(struct agpu_play *play);
bool agpu_play_is_reset(const struct agpu_play *play);

/* Frees all of it. */
void agpu_play_forget(struct agpu_play *play);

#endif
