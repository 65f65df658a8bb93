/* hash.h: hash function of the model's tables; seeded, so that a guest cannot choose colliding keys. */
#ifndef VGPU_ENGINE_HASH_H
#define VGPU_ENGINE_HASH_H

#include <stdint.h>

/* Finaliser of MurmurHash3 applied to key and seed. */
static inline uint64_t vgpu_hash(uint64_t key, uint64_t seed)
{
    key ^= seed;
    key ^= key >> 33;
    key *= 0xFF51AFD7ED558CCDull;
    key ^= key >> 33;
    key *= 0xC4CEB9FE1A85EC53ull;
    key ^= key >> 33;
    return key;
}

#endif
