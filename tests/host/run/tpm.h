/* tpm.h: saves the firmware's wait for a TPM that does not exist.
 *
 * OVMF probes for a TPM three times, 750 ms each: a board without a TPM reads as 0xFF, but QEMU returns 0, which
 * means a TPM that is not ready yet. This gives the machine one that is ready at once but useless: QEMU's TPM
 * passthrough with a pipe in place of the host's TPM, which returns each command unchanged. As a response that is an
 * error, so the firmware continues without a TPM. It saves a third of the time from start to the image's entry. */
#ifndef AGPU_HOST_RUN_TPM_H
#define AGPU_HOST_RUN_TPM_H

#include <stdbool.h>

/* Returns true when this QEMU supports it, and the user's extra arguments (NULL at the end; NULL: none) configure no
 * TPM. Runs QEMU once, which takes a tenth of a second. */
bool agpu_tpm_is_possible(const char *qemu, char *const *words);

#endif
