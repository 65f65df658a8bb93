/* processors.c: words that two processors share, and the start of the second one. */
#include "tests/cases/rig/processors.h"

#include "tests/cases/harness/check.h"

/* Bound of a wait for the other processor, in reads of a word: seconds. */
#define POLLS (UINT64_C(1) << 31)

uint32_t agpu_word_read(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

void agpu_word_set(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

bool agpu_word_wait(const uint32_t *first, const uint32_t *second)
{
    for (uint64_t i = 0; agpu_word_read(first) == 0 && agpu_word_read(second) == 0; i++) {
        if (i == POLLS) {
            return false;
        }
    }
    return true;
}

bool agpu_run_beside(struct agpu_test *t, void (*task)(void *arg), void (*here)(void *arg), void *arg)
{
    const struct agpu_platform *platform = t->env->platform;
    char buffer[160];
    struct agpu_text why;

    if (platform->run_beside == NULL) {
        agpu_skip(t, AGPU_SKIP_PROCESSOR);
        return false;
    }
    agpu_text_begin(&why, buffer, sizeof buffer);
    const enum agpu_status status = platform->run_beside(platform->ctx, task, here, arg, &why);
    if (status == AGPU_ERR_PLATFORM) {
        agpu_skip_because(t, AGPU_SKIP_PROCESSOR, buffer);
        return false;
    }
    return agpu_check_ok(t, status);
}
