/* replay.h: the capture that replay= of agpu.cfg names, as the source of the case that plays it (tests/cases/replay). */
#ifndef AGPU_EFI_REPLAY_H
#define AGPU_EFI_REPLAY_H

#include "tests/cases/replay/replay.h"

/* until: as in the source. path must live as long as the source is used. */
const struct agpu_replay_source *agpu_replay_file(const char *path, uint32_t until);

#endif
