/* progress.h: the progress of a run, kept across a reset or power cut: in a UEFI variable, or, when variables
 * do not persist, in a file of the boot volume. The next boot continues after the case in which the machine
 * died. */
#ifndef AGPU_EFI_PROGRESS_H
#define AGPU_EFI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_PROGRESS_CASE_MAX 200

/* State that an earlier boot of the same run left. */
struct agpu_progress_found {
    unsigned resets;                          /* boots of this run that did not finish; 0: a new run */
    char running[AGPU_PROGRESS_CASE_MAX + 1]; /* the last case that started; "": none had started */
};

/* Looks up the run with this key (a hash of build and settings) and counts one more boot of it. Returns NULL,
 * or why this machine cannot store it. */
const char *agpu_progress_open(uint64_t key, struct agpu_progress_found *found);

/* Records the case that starts. Does nothing while closed. */
void agpu_progress_case(const char *id);

/* The run is complete: deletes its state. */
void agpu_progress_close(void);

/* True when a reset now would continue the run. */
bool agpu_progress_is_open(void);

/* Continues a hash with size bytes, for keys of runs. */
#define AGPU_PROGRESS_HASH_FIRST UINT64_C(0xCBF29CE484222325)
uint64_t agpu_progress_hash(uint64_t hash, const void *bytes, uint64_t size);

#endif
