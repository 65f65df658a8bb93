/* shard.c: decides which cases belong to a shard. Neighbours belong to different shards, which spreads slow
 * subjects. */
#include "tests/cases/choice/shard.h"

/* Parses a decimal number up to AGPU_SHARDS_MAX and moves *at after it. Returns 0 if there is none. */
static unsigned read_shard_number(const char **at, const char *end)
{
    unsigned value = 0;

    while (*at < end && **at >= '0' && **at <= '9' && value <= AGPU_SHARDS_MAX) {
        value = value * 10 + (unsigned)(*(*at)++ - '0');
    }
    return value <= AGPU_SHARDS_MAX ? value : 0;
}

bool agpu_shard_read(const char *text, size_t size, struct agpu_shard *out)
{
    const char *at = text;
    const char *const end = text + size;
    struct agpu_shard shard = {.number = read_shard_number(&at, end)};

    if (at == end || *at != '/') {
        return false;
    }
    at++;
    shard.count = read_shard_number(&at, end);
    if (at != end || shard.number == 0 || shard.number > shard.count) {
        return false;
    }
    *out = shard;
    return true;
}

bool agpu_shard_takes(const struct agpu_shard *shard, unsigned place)
{
    return shard->count == 0 || place % shard->count == shard->number - 1;
}
