/* foreign.c: reports records of another build, and stores them as text. */
#include "tests/host/wire/foreign.h"

#include <inttypes.h>
#include <string.h>

#define KIND_MAX  16
#define SHOWN_MAX 120

void agpu_foreign_plan(struct agpu_run *run, const struct agpu_parsed_record *plan)
{
    const char *found = agpu_record_text(plan, AGPU_KEY(PLAN, format), "none");
    const uint64_t version = agpu_record_count(plan, AGPU_KEY(PLAN, format), 0);

    if (version != AGPU_RECORD_VERSION) {
        agpu_run_problem(
            run,
            "records of %s version: expected format=%d in the plan record, found %.20s (image build %.60s): "
            "unreadable ones are stored as text in results.jsonl; use image and agpu of one build",
            version < AGPU_RECORD_VERSION ? "an older" : "a newer", AGPU_RECORD_VERSION, found,
            agpu_record_text(plan, AGPU_KEY(PLAN, build), "unknown"));
    }
}

/* Checks for a type, an id and fields, which every version of the format has. */
static bool has_grammar(const struct agpu_packet *packet, struct agpu_parsed_record *out)
{
    size_t kind = 0;

    while (kind < packet->length && packet->text[kind] >= 'a' && packet->text[kind] <= 'z') {
        kind++;
    }
    return kind != 0 && kind <= KIND_MAX && kind < packet->length && packet->text[kind] == ' ' &&
           packet->length <= AGPU_RECEIVED_TEXT_MAX &&
           agpu_row_parse(packet->text + kind + 1, packet->length - kind - 1, out) == NULL &&
           out->field_count != 0;
}

static struct agpu_field field_of(const char *key, const char *text, size_t length)
{
    return (struct agpu_field){.key = key, .text = text, .length = length};
}

bool agpu_foreign_keep(struct agpu_run *run, struct agpu_source_stats *stats, enum agpu_source source,
                       const struct agpu_packet *packet, const char *why, struct agpu_parsed_record *out)
{
    const bool sound = source == AGPU_SOURCE_UDP || source == AGPU_SOURCE_STREAM;
    const int shown = (int)(packet->length < SHOWN_MAX ? packet->length : SHOWN_MAX);

    if (!sound || !has_grammar(packet, out)) {
        stats->malformed++;
        agpu_run_problem(run, "%s: seq %" PRIu64 " is not a record: %s: %.*s", agpu_source_name(source),
                         packet->seq, why, shown, packet->text);
        return false;
    }
    if (stats->unread++ == 0) {
        agpu_run_problem(
            run,
            "records that this agpu (format=%d) cannot read, the first is seq %" PRIu64
            ": %s: %.*s; they are stored as text in results.jsonl; use image and agpu of one build",
            AGPU_RECORD_VERSION, packet->seq, why, shown, packet->text);
    }
    memcpy(out->storage, packet->text, packet->length);
    out->storage[packet->length] = '\0';
    out->type = AGPU_RECORD_LOG;
    out->id = "-";
    out->fields[0] = field_of("level", "info", strlen("info"));
    out->fields[1] = field_of("text", out->storage, packet->length);
    out->fields[2] = field_of("unread", why, strlen(why));
    out->field_count = 3;
    return true;
}
