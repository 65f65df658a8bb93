/* progress.h: how far the run is, kept where a reset or a power cut leaves it: in a UEFI variable, or, on a machine whose
 * variables do not persist, in a file of the boot volume. The next boot goes on behind the case that the machine died in. */
#ifndef AGPU_EFI_PROGRESS_H
#define AGPU_EFI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_PROGRESS_CASE_MAX 200

/* What an earlier boot of the same run left. */
struct agpu_progress_found {
    unsigned resets; /* boots of this run that did not come to its end; 0: a new run */
    char running[AGPU_PROGRESS_CASE_MAX + 1]; /* the case that ran last, "": none had begun */
};

/* Looks for the run that key names, the same for the same build and the same settings, and notes one more boot of it.
 * NULL, or why nothing can be kept on this machine. */
const char *agpu_progress_open(uint64_t key, struct agpu_progress_found *found);

/* The case begins. Nothing while closed. */
void agpu_progress_case(const char *id);

/* The run has come to its end: nothing of it is left. */
void agpu_progress_close(void);

/* Whether a reset now would go on with the run. */
bool agpu_progress_is_open(void);

/* Hash of size bytes, to go on with from another: keys of runs. */
#define AGPU_PROGRESS_HASH_FIRST UINT64_C(0xCBF29CE484222325)
uint64_t agpu_progress_hash(uint64_t hash, const void *bytes, uint64_t size);

#endif
