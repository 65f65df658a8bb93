/* capture.h: writes a capture (tests/capture) to a file, or over the lossless stream to the collector. The
 * file is AGPU.CAP in the root of the first volume that already has one, else of the volume that the
 * application was started from. */
#ifndef AGPU_EFI_CAPTURE_H
#define AGPU_EFI_CAPTURE_H

#include "efi/config_values.h"
#include "efi/machine.h"
#include "tests/capture/tap.h"
#include "tests/cases/harness/runner.h"

/* Puts the tap in front of run->platform, so that the cases of run are captured, and logs the destination to
 * run->stream. Waits for the stream for some seconds at most. Returns NULL, or why there will be no capture;
 * run is then unchanged. */
const char *agpu_capture_open(struct agpu_runner_config *run, enum agpu_capture_mode mode,
                              enum agpu_capture_to to);

/* Writes the end of the file and closes it, or sends it; does nothing when no capture is open. Returns NULL,
 * or why the file is incomplete. *lost gets the number of cases that were not captured in full for lack of
 * space. */
const char *agpu_capture_close(uint64_t *lost);

#endif
