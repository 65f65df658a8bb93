/* replay.h: the capture named by replay= of agpu.cfg, as the source of the case that replays it
 * (tests/cases/replay). */
#ifndef AGPU_EFI_REPLAY_H
#define AGPU_EFI_REPLAY_H

#include "tests/cases/replay/replay.h"

/* until: as in the source. path must outlive the source. */
const struct agpu_replay_source *agpu_replay_file(const char *path, uint32_t until);

#endif
