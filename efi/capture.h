/* capture.h: a capture (tests/capture) into a file: AGPU.CAP in the root of the first volume that has such a file, else of the
 * volume that the application was started from; or over the lossless stream, to the collector. */
#ifndef AGPU_EFI_CAPTURE_H
#define AGPU_EFI_CAPTURE_H

#include "efi/config_values.h"
#include "efi/machine.h"
#include "tests/capture/tap.h"
#include "tests/cases/harness/runner.h"

/* Puts the tap before run->platform, so that the cases of run are captured, and says to run->stream where that goes. NULL, or why
 * there will be no capture; run is unchanged then. The stream is waited for, for seconds at most. */
const char *agpu_capture_open(struct agpu_runner_config *run, enum agpu_capture_mode mode,
                              enum agpu_capture_to to);

/* Writes the end of the file and closes it, or sends it; nothing without an open one. NULL, or why the file is not complete. *lost gets the
 * number of cases of which not all had room. */
const char *agpu_capture_close(uint64_t *lost);

#endif
