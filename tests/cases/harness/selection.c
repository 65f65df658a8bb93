/* selection.c: the cases of a run. */
#include "tests/cases/harness/selection.h"

#include "tests/cases/choice/filter.h"

static bool for_device(const struct agpu_runner_config *config, const struct agpu_case *item)
{
    const bool together = (item->flags & AGPU_CASE_TOGETHER) != 0;

    if (((item->flags & AGPU_CASE_ON_REQUEST) != 0) != (config->pattern_ns != 0)) {
        return false;
    }
    if (config->fixture_config.functions != NULL && config->fixture_config.functions->count > 1 &&
        together != config->fixture_config.functions->together) {
        return false;
    }
    if (config->fixture_config.functions != NULL && config->fixture_config.functions->together) {
        return true;
    }
    return config->device == AGPU_CASE_ANY_DEVICE || (item->flags & AGPU_CASE_DEVICE) == config->device;
}

void agpu_list(const struct agpu_runner_config *config, void (*each)(void *ctx, const struct agpu_case *item),
               void *ctx)
{
    unsigned place = 0;

    for (size_t i = 0; i < config->table_count; i++) {
        const struct agpu_case_table *table = config->tables[i];

        for (size_t j = 0; j < table->count; j++) {
            const struct agpu_case *item = &table->cases[j];

            if (for_device(config, item) && agpu_filter_match(config->filter, item->id) &&
                agpu_tags_take(&config->tags, item->id) && agpu_shard_takes(&config->shard, place++)) {
                each(ctx, item);
            }
        }
    }
}

static void append_tags(const struct agpu_tag_choice *tags, struct agpu_text *text)
{
    const char *before = " tags=";

    for (unsigned i = 0; i < AGPU_TAG_COUNT; i++) {
        if (((tags->wanted | tags->unwanted) >> i & 1) != 0) {
            agpu_format(text, "%s%s%s", before, (tags->unwanted >> i & 1) != 0 ? "!" : "", agpu_tag_name(i));
            before = ",";
        }
    }
}

void agpu_report_empty_selection(const struct agpu_runner_config *config, const char *device,
                                 struct agpu_text *text)
{
    agpu_format(text, "no case is left for %s (agpu list names all):%s", device,
                config->pattern_ns != 0 ? " test picture" : "");
    append_tags(&config->tags, text);
    if (config->shard.count != 0) {
        agpu_format(text, " shard=%u/%u", config->shard.number, config->shard.count);
    }
    agpu_format(text, " filter=%s", config->filter != NULL && *config->filter != '\0' ? config->filter : "*");
}
