/* config.h: reads agpu.cfg, "key=value" lines with "#" comments, into what the application does.
 * Freestanding. */
#ifndef AGPU_EFI_CONFIG_H
#define AGPU_EFI_CONFIG_H

#include "efi/config_values.h"

/* One line that was not understood; the setting keeps its default. */
struct agpu_config_problem {
    unsigned line; /* from 1 */
    struct agpu_span text;
    const char *reason;
};

void agpu_config_defaults(struct agpu_config *config);

/* What is parsed next comes from there, and says nothing about keys that a source before had; name stays. At most
 * AGPU_CONFIG_SOURCES_MAX of them. */
void agpu_config_source(struct agpu_config *config, const char *name);

/* "filter,token: load options; at_end: \EFI\AGPU\agpu.cfg": the keys that some source had, the first source first; "defaults"
 * when none had any. No values: one of them may be a secret. */
void agpu_config_describe_sources(const struct agpu_config *config, struct agpu_text *text);

/* The name of the key with this number, from 0; NULL after the last. */
const char *agpu_config_key(unsigned number);

/* Reads a whole file. Of several lines of a key the last wins. Each line that is not understood is reported and changes nothing. */
void agpu_config_parse(struct agpu_config *config, const char *text, size_t size,
                       void (*report)(void *ctx, const struct agpu_config_problem *problem), void *ctx);

#endif
