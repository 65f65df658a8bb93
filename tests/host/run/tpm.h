/* tpm.h: what keeps the firmware from waiting for a TPM that is not there.
 *
 * OVMF looks for one three times, 750 ms each: where a board without a TPM answers 0xFF, QEMU answers 0, which is one
 * that is not ready yet. So the machine gets one that is ready at once and good for nothing: QEMU's way through to a TPM of the
 * host, with a pipe in its place, which gives each command back. Read as an answer that is an error, so the firmware does without.
 * A third of the time from start to the image's entry is saved so. */
#ifndef AGPU_HOST_RUN_TPM_H
#define AGPU_HOST_RUN_TPM_H

#include <stdbool.h>

/* Whether this QEMU has what it takes, and none of the words that the user adds to its command line (NULL at the end; NULL: none)
 * is about a TPM of his own. Runs QEMU once, which takes a tenth of a second. */
bool agpu_tpm_is_possible(const char *qemu, char *const *words);

#endif
