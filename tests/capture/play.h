/* play.h: replays the records of a capture on a function of this machine, and compares the results (README.md,
 * Replay). Freestanding: the image replays on the device of its machine, host programs on the device in their
 * process.
 *
 * Memory of the capture has another address here, so addresses are translated: in registers, descriptors and
 * allocation tables. A hostile capture reaches no other memory: addresses outside of the capture's memory are moved
 * to where there is no memory, and ranges that would end outside of it are cut. */
#ifndef AGPU_CAPTURE_PLAY_H
#define AGPU_CAPTURE_PLAY_H

#include "tests/capture/play_state.h"

/* function must outlive the play. aperture_bar: its BAR1, or the equivalent. */
void agpu_play_init(struct agpu_play *play, const struct agpu_platform *platform,
                    const struct agpu_pci_ref *function, unsigned aperture_bar);

/* Replays one record. After any result but GOES_ON, further calls return the same again. */
enum agpu_play_state agpu_play_record(struct agpu_play *play, const struct agpu_capture_item *item);

/* Stops the ring and frees the memory. */
void agpu_play_end(struct agpu_play *play);

#endif
