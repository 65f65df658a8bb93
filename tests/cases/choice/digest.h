/* digest.h: which cases a plan announces, in one number: the host compares it with the cases that ran. */
#ifndef AGPU_CASES_CHOICE_DIGEST_H
#define AGPU_CASES_CHOICE_DIGEST_H

#include <stdint.h>

/* Adds one case to the digest, which starts at 0. The order does not matter: FNV-1a of each id, summed. */
static inline uint32_t agpu_digest_add(uint32_t digest, const char *id)
{
    uint32_t hash = 2166136261u;

    while (*id != '\0') {
        hash = (hash ^ (uint8_t)*id++) * 16777619u;
    }
    return digest + hash;
}

#endif
