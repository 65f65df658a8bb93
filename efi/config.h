/* config.h: reads agpu.cfg, "key=value" lines with "#" comments, into struct agpu_config. Freestanding. */
#ifndef AGPU_EFI_CONFIG_H
#define AGPU_EFI_CONFIG_H

#include "efi/config_values.h"

/* A line that was not understood; the setting keeps its default. */
struct agpu_config_problem {
    unsigned line; /* from 1 */
    struct agpu_span text;
    const char *reason;
};

void agpu_config_defaults(struct agpu_config *config);

/* Starts a source: the next agpu_config_parse() reads from it. Lines whose key an earlier source has set are
 * ignored. name must stay valid. At most AGPU_CONFIG_SOURCES_MAX sources. */
void agpu_config_source(struct agpu_config *config, const char *name);

/* Lists the keys that each source set, first source first, as "filter,token: load options; at_end:
 * \EFI\AGPU\agpu.cfg"; "defaults" when no source set any. Values are left out: they may be secret. */
void agpu_config_describe_sources(const struct agpu_config *config, struct agpu_text *text);

/* Returns the name of key `number`, counted from 0; NULL after the last. */
const char *agpu_config_key(unsigned number);

/* Parses a whole file. The last line of a key wins. Each line that is not understood is reported and changes
 * nothing. */
void agpu_config_parse(struct agpu_config *config, const char *text, size_t size,
                       void (*report)(void *ctx, const struct agpu_config_problem *problem), void *ctx);

#endif
