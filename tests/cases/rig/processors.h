/* processors.h: a second processor for a case. The two meet by words in memory, never by time, so that the result is
 * the same in every run. */
#ifndef AGPU_CASES_RIG_PROCESSORS_H
#define AGPU_CASES_RIG_PROCESSORS_H

#include "tests/cases/rig/env.h"

uint32_t agpu_word_read(const uint32_t *word);
void agpu_word_set(uint32_t *word, uint32_t value);

/* Waits until one of the words is not 0. False: that took seconds. */
bool agpu_word_wait(const uint32_t *first, const uint32_t *second);

/* Calls run_beside of struct agpu_platform. False: the case is skipped because there is no second processor, or a check
 * has failed. */
bool agpu_run_beside(struct agpu_test *test, void (*task)(void *arg), void (*here)(void *arg), void *arg);

#endif
