/* compute.c: dispatches (commands.md 10, 11, 15). Those of listed shaders have exact integer results; any other may
 * change the buffers that it may write. */
#include "tests/cases/reference/compute.h"

#include <string.h>

#include "tests/cases/reference/bind.h"
#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/program.h"
#include "tests/cases/reference/shade.h"

#define GROUPS_MOST 65535u
/* Words that one dispatch may write to be predicted. */
#define WORDS_MOST 0x40000u

/* Stores a word by a view: a word beyond it goes nowhere. known: the value is. */
static void store_word(struct agpu_ref *ref, unsigned slot, uint64_t at, uint32_t value, bool known)
{
    const struct agpu_ref_part part = ref->pipeline.writable_parts[AGPU_REF_COMPUTE][slot];
    struct agpu_ref_resource *buffer = agpu_ref_named(ref, ref->pipeline.writable[AGPU_REF_COMPUTE][slot]);
    const uint64_t start = part.offset + at;

    if (buffer != NULL && (part.size == 0 || at + 4 <= part.size) && start + 4 <= buffer->size) {
        agpu_ref_mark(ref, buffer, start, 4, known ? AGPU_REF_EXACT : AGPU_REF_ANY);
        if (buffer->bytes != NULL) {
            memcpy(buffer->bytes + start, &value, sizeof value);
        }
    }
}

/* Reads from t# or u#. */
static bool load_words(struct agpu_ref *ref, bool writable, unsigned slot, uint64_t at, unsigned count,
                       uint32_t *out)
{
    const struct agpu_ref_pipeline *pipeline = &ref->pipeline;

    return agpu_ref_element(ref,
                            writable ? pipeline->writable[AGPU_REF_COMPUTE][slot]
                                     : pipeline->textures[AGPU_REF_COMPUTE][slot],
                            writable ? pipeline->writable_parts[AGPU_REF_COMPUTE][slot]
                                     : pipeline->texture_parts[AGPU_REF_COMPUTE][slot],
                            at, count * 4, out);
}

static void run_fill(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t n = 0; n < cmd->group_count_x * 64; n++) {
        store_word(ref, 0, n * 4ull, n * 3 + 1, true);
    }
}

static void run_scale(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    uint32_t factor[4];
    const bool known = agpu_ref_constant(ref, AGPU_REF_COMPUTE, 0, 0, factor);

    for (uint32_t n = 0; n < cmd->group_count_x * 16; n++) {
        uint32_t word;
        const bool loaded = load_words(ref, false, 2, n * 4ull, 1, &word);

        store_word(ref, 1, n * 4ull, word * factor[0], known && loaded);
    }
}

static void run_structured(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t n = 0; n < cmd->group_count_x * 4; n++) {
        uint32_t in[4];
        const bool known = load_words(ref, false, 0, n * 16ull, 4, in);
        const uint32_t out[4] = {in[0] + 1, 0u - in[1], in[3], in[2]};

        for (unsigned i = 0; i < 4; i++) {
            store_word(ref, 0, n * 16ull + i * 4, out[i], known);
        }
    }
}

static void run_count(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    for (uint32_t z = 0; z < cmd->group_count_z; z++) {
        for (uint32_t y = 0; y < cmd->group_count_y; y++) {
            for (uint32_t x = 0; x < cmd->group_count_x; x++) {
                const uint32_t n = x + 4 * y + 16 * z;
                uint32_t word;
                const bool known = load_words(ref, true, 1, n * 4ull, 1, &word);

                store_word(ref, 1, n * 4ull, word + 1 + x + 16 * y + 256 * z, known);
                store_word(ref, 3, n * 4ull, 1000 + n, true);
            }
        }
    }
}

/* Runs a listed shader. Returns false, with nothing changed, for anything else. */
static bool run_exactly(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    const struct agpu_ref_object *shader =
        agpu_ref_find(ref, AGPU_REF_SHADERS, ref->pipeline.shaders[AGPU_REF_COMPUTE]);
    const uint32_t *writable = ref->pipeline.writable[AGPU_REF_COMPUTE];
    const struct agpu_ref_resource *first = agpu_ref_named(ref, writable[1]);

    if (cmd->group_count_x > WORDS_MOST / 64 || cmd->group_count_y > GROUPS_MOST ||
        cmd->group_count_z > GROUPS_MOST) {
        return false;
    }
    switch (shader->program) {
    case AGPU_REF_CS_FILL:
        run_fill(ref, cmd);
        return true;
    case AGPU_REF_CS_SCALE:
        run_scale(ref, cmd);
        return true;
    case AGPU_REF_CS_STRUCTURED:
        run_structured(ref, cmd);
        return true;
    case AGPU_REF_CS_COUNT:
        if (cmd->group_count_x > 4 || cmd->group_count_y > 4 || cmd->group_count_z > 4 ||
            (first != NULL && first == agpu_ref_named(ref, writable[3]))) {
            return false;
        }
        run_count(ref, cmd);
        return true;
    default:
        return false;
    }
}

enum aerogpu_error agpu_ref_dispatch(struct agpu_ref *ref, const struct aerogpu_cmd_dispatch *cmd)
{
    if (cmd->group_count_x == 0 || cmd->group_count_y == 0 || cmd->group_count_z == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (agpu_ref_stage(ref, AEROGPU_SHADER_STAGE_COMPUTE, cmd->reserved0) != AGPU_REF_COMPUTE ||
        !agpu_ref_has_shader(ref, AGPU_REF_COMPUTE) || !agpu_ref_slots_valid(ref, AGPU_REF_COMPUTE)) {
        return AGPU_REF_INVALID;
    }
    for (unsigned slot = 0; slot < 8; slot++) {
        const uint32_t handle = ref->pipeline.writable[AGPU_REF_COMPUTE][slot];

        if (handle != 0 && !agpu_ref_is_buffer(ref, handle)) {
            return AGPU_REF_INVALID;
        }
        if (handle != 0) {
            agpu_ref_open(ref, agpu_ref_named(ref, handle));
        }
    }
    if (!run_exactly(ref, cmd)) {
        agpu_ref_unresolved(ref);
        agpu_ref_mark_writable(ref, AGPU_REF_COMPUTE, AGPU_REF_COMPUTE);
    }
    return AEROGPU_ERROR_NONE;
}
