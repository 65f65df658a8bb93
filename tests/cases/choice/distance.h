/* distance.h: the edit distance of two names, to suggest a name after a typing error. Freestanding. */
#ifndef AGPU_CASES_CHOICE_DISTANCE_H
#define AGPU_CASES_CHOICE_DISTANCE_H

/* Returns how many letters must be inserted, deleted, replaced, or swapped with the next one to turn a into b. Names
 * are cut at 150 bytes. */
unsigned agpu_name_distance(const char *a, const char *b);

#endif
