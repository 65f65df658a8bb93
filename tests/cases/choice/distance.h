/* distance.h: how far two names are apart, for whoever mistyped one. Freestanding. */
#ifndef AGPU_CASES_CHOICE_DISTANCE_H
#define AGPU_CASES_CHOICE_DISTANCE_H

/* How many letters have to be put in, left out, exchanged, or swapped with the next; names are cut at 150 bytes. */
unsigned agpu_name_distance(const char *a, const char *b);

#endif
