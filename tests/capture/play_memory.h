/* play_memory.h: memory of a capture that is played: where it is here, what the device is shown of it, what it must hold. */
#ifndef AGPU_CAPTURE_PLAY_MEMORY_H
#define AGPU_CAPTURE_PLAY_MEMORY_H

#include "pci/machine/text.h"
#include "tests/capture/play_state.h"

/* Ends the play: begins the text with the place in the capture. */
void agpu_play_differ(struct agpu_play *play, struct agpu_text *text);
void agpu_play_refuse(struct agpu_play *play, const char *why);

/* Where an address of the capture is for the device. Where the capture has no memory, or not so many bytes, it becomes one
 * where this machine has none either. */
uint64_t agpu_play_move(const struct agpu_play *play, uint64_t address, uint64_t size);

/* Where it is for this program, as it is and as it should be; NULL when the capture has not so much memory there. */
uint8_t *agpu_play_live(const struct agpu_play *play, uint64_t address, uint64_t size);
const uint8_t *agpu_play_expected(const struct agpu_play *play, uint64_t address, uint64_t size);

/* Mappings, and what the record says of memory: kept until it is shown, or compared. */
void agpu_play_memory(struct agpu_play *play, const struct agpu_capture_item *item);

/* Descriptor and table are moved when they are shown; what the table lets the device write is compared at rest. */
void agpu_play_post(struct agpu_play *play, const struct agpu_capture_submission *submission);

/* What was told becomes memory; the tail of the ring last. */
void agpu_play_show(struct agpu_play *play);

/* At rest: all that the captured device changed, and all that a table let this one write. */
void agpu_play_compare(struct agpu_play *play);

/* Makes the ring show when a reset has reached memory, and whether it has. */
void agpu_play_poison(struct agpu_play *play);
bool agpu_play_is_reset(const struct agpu_play *play);

/* Frees all of it. */
void agpu_play_forget(struct agpu_play *play);

#endif
