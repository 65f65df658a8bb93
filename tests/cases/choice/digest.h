/* digest.h: a checksum of the case ids that a plan announces. The host compares it with the cases that ran. */
#ifndef AGPU_CASES_CHOICE_DIGEST_H
#define AGPU_CASES_CHOICE_DIGEST_H

#include <stdint.h>

/* Adds one case id to the digest, which starts at 0. Independent of the order: the sum of the FNV-1a hashes of the
 * ids. */
static inline uint32_t agpu_digest_add(uint32_t digest, const char *id)
{
    uint32_t hash = 2166136261u;

    while (*id != '\0') {
        hash = (hash ^ (uint8_t)*id++) * 16777619u;
    }
    return digest + hash;
}

#endif
