/* play.h: plays the records of a capture on a function of this machine, and compares what comes back (README.md, Replay).
 * Freestanding: the image plays on whatever is there, host programs on the device in their process.
 *
 * Memory of the capture is put elsewhere, so addresses are moved: in registers, descriptors and allocation tables. Nothing of
 * a hostile capture reaches other memory: what names none of the capture's own is moved to where no memory is, and what would
 * end behind it is cut. */
#ifndef AGPU_CAPTURE_PLAY_H
#define AGPU_CAPTURE_PLAY_H

#include "tests/capture/play_state.h"

/* function must live as long as the play is used. aperture_bar: its BAR1, or where that is. */
void agpu_play_init(struct agpu_play *play, const struct agpu_platform *platform,
                    const struct agpu_pci_ref *function, unsigned aperture_bar);

/* Plays one record. After anything but GOES_ON it answers the same again. */
enum agpu_play_state agpu_play_record(struct agpu_play *play, const struct agpu_capture_item *item);

/* Stops the ring and frees the memory. */
void agpu_play_end(struct agpu_play *play);

#endif
