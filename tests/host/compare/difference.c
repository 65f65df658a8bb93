/* difference.c: compares two traces. */
#include "tests/host/compare/difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "pci/protocol/register_table.h"
#include "ring/protocol/packet_table.h"

const char *agpu_cmp_packet_name(uint32_t opcode)
{
    const char *name = aerogpu_packet_name(opcode);

    return name != NULL ? name : "unknown";
}

static void run_both(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, uint32_t up_to,
                     struct agpu_cmp_difference *out)
{
    pair->runs++;
    for (int i = 0; i < 2; i++) {
        agpu_cmp_start(&pair->sides[i], &pair->common, program, up_to);
    }
    for (int i = 0; i < 2; i++) {
        out->died[i] = agpu_cmp_finish(&pair->sides[i], out->text[i]) != AGPU_CMP_RAN;
        if (!out->died[i] && agpu_cmp_trace_of(&pair->sides[i])->absurd_at != 0 &&
            pair->absurd[i][0] == '\0') {
            snprintf(pair->absurd[i], sizeof pair->absurd[i], "%s", out->text[i]);
        }
    }
}

/* A violation that no device may commit precedes differences after it, or in the same step, since they may result
 * from it. */
static void find_absurd(const struct agpu_cmp_pair *pair, const struct agpu_cmp_trace *const traces[2],
                        struct agpu_cmp_difference *out)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t at = traces[i]->absurd_at;

        if (at != 0 && !pair->absurd_known[i] && (!out->found || at <= out->step + !out->absurd)) {
            out->found = out->absurd = true;
            out->of = i;
            out->step = at - 1;
            out->what = AGPU_CMP_SAW_VALUE;
        }
    }
}

static void locate(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                   struct agpu_cmp_difference *out)
{
    struct agpu_cmp_difference again = {0};
    const uint8_t *ram[2];
    uint32_t first = UINT32_MAX;

    run_both(pair, program, out->step + 1, &again);
    for (int i = 0; i < 2; i++) {
        ram[i] = agpu_cmp_ram_of(&pair->sides[i]);
    }
    out->bytes = 0;
    for (uint32_t at = 0; at < AGPU_CMP_RAM_BYTES; at++) {
        if (ram[0][at] != ram[1][at]) {
            first = first == UINT32_MAX ? at : first;
            out->bytes++;
        }
    }
    if (first == UINT32_MAX) {
        return;
    }
    while (out->region + 1 < AGPU_GEN_REGIONS && agpu_cmp_region_at(out->region + 1) <= first) {
        out->region++;
    }
    out->offset = first - agpu_cmp_region_at(out->region);
    for (int i = 0; i < 2; i++) {
        const uint32_t left = AGPU_CMP_RAM_BYTES - first;

        memcpy(out->first[i], ram[i] + first, left < sizeof out->first[i] ? left : sizeof out->first[i]);
    }
}

/* Records all observations of a step, the last of each kind. */
static void note_seen(const struct agpu_cmp_trace *const traces[2], uint32_t step,
                      struct agpu_cmp_difference *out)
{
    uint32_t seen[2] = {0};

    for (int i = 0; i < 2; i++) {
        for (uint32_t n = 0; n < traces[i]->count && n < traces[i]->room; n++) {
            const struct agpu_cmp_observation *saw = &traces[i]->list[n];

            if (saw->step == step) {
                out->saw[i][saw->what] = saw->value;
                seen[i] |= 1u << saw->what;
            }
        }
    }
    out->seen = seen[0] & seen[1];
}

void agpu_cmp_see(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                  struct agpu_cmp_difference *difference)
{
    const struct agpu_cmp_trace *traces[2];
    struct agpu_cmp_difference again = {0};

    run_both(pair, program, UINT32_MAX, &again);
    for (int i = 0; i < 2; i++) {
        traces[i] = agpu_cmp_trace_of(&pair->sides[i]);
    }
    if (!again.died[0] && !again.died[1]) {
        note_seen(traces, program->step_count - 1, difference);
    }
}

bool agpu_cmp_byte_before(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, uint32_t step,
                          uint32_t region, uint32_t offset, uint8_t bytes[2])
{
    struct agpu_cmp_difference again = {0};

    run_both(pair, program, step, &again);
    for (int i = 0; i < 2; i++) {
        bytes[i] = agpu_cmp_ram_of(&pair->sides[i])[agpu_cmp_region_at(region) + offset];
    }
    return !again.died[0] && !again.died[1];
}

void agpu_cmp_differ(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, bool located,
                     struct agpu_cmp_difference *out)
{
    const struct agpu_cmp_trace *traces[2];
    uint32_t count;

    memset(out, 0, sizeof *out);
    run_both(pair, program, UINT32_MAX, out);
    for (int i = 0; i < 2; i++) {
        traces[i] = agpu_cmp_trace_of(&pair->sides[i]);
    }
    out->errors = traces[0]->errors_at != 0;
    if (out->died[0] || out->died[1]) {
        out->found = true;
        out->step = traces[out->died[0] ? 0 : 1]->step;
        return;
    }
    count = traces[0]->count < traces[1]->count ? traces[0]->count : traces[1]->count;
    count = count < traces[0]->room ? count : traces[0]->room;
    for (uint32_t i = 0; i < count && !out->found; i++) {
        const struct agpu_cmp_observation *a = &traces[0]->list[i], *b = &traces[1]->list[i];

        if (a->value != b->value || a->what != b->what) {
            out->found = true;
            out->step = a->step;
            out->what = (enum agpu_cmp_what)a->what;
            out->value[0] = a->value;
            out->value[1] = b->value;
            note_seen(traces, a->step, out);
        }
    }
    find_absurd(pair, traces, out);
    if (out->found && out->errors) {
        out->errors = traces[0]->errors_at <= out->step + 1;
    }
    if (out->found && located && !out->absurd && out->what == AGPU_CMP_SAW_MEMORY) {
        locate(pair, program, out);
    }
}

/* ---- words ---- */

/* Lists the opcodes of the program's submissions, each once, in order of their last use: the deciding one is last. */
static size_t opcodes_of(const struct agpu_gen_program *program, uint32_t last_step, uint32_t *out,
                         size_t room)
{
    size_t count = 0;

    for (uint32_t i = 0; i < program->step_count && i <= last_step; i++) {
        const struct agpu_gen_step *step = &program->steps[i];
        const uint32_t *packet;
        uint32_t offset = 0;

        while (step->op == AGPU_GEN_SUBMIT &&
               (packet = agpu_gen_packet_next(program, step, &offset)) != NULL) {
            size_t at = 0;

            while (at < count && out[at] != packet[0]) {
                at++;
            }
            if (at == count && count < room) {
                count++;
            }
            if (at < count) {
                memmove(out + at, out + at + 1, (count - at - 1) * sizeof *out);
                out[count - 1] = packet[0];
            }
        }
    }
    return count;
}

/* Returns the section about a packet, by ranges of opcodes (commands.md 6 to 12). */
static const char *packet_section(uint32_t opcode)
{
    switch (opcode) {
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_RESOURCE:
        return "commands.md 6.1";
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
        return "commands.md 6.2";
    case AEROGPU_CMD_UPLOAD_RESOURCE:
        return "commands.md 6.3";
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D:
        return "commands.md 6.4";
    case AEROGPU_CMD_EXPORT_SHARED_SURFACE:
    case AEROGPU_CMD_IMPORT_SHARED_SURFACE:
    case AEROGPU_CMD_RELEASE_SHARED_SURFACE:
        return "commands.md 12";
    default:
        break;
    }
    switch (opcode >> 8) {
    case 2:
        return "commands.md 7";
    case 3:
    case 4:
        return "commands.md 8";
    case 5:
        return opcode < AEROGPU_CMD_SET_TEXTURE ? "commands.md 9" : "commands.md 10";
    case 6:
    case 7:
        return "commands.md 11";
    default:
        return "commands.md 1";
    }
}

/* Returns true for a copy, which only shows what another packet did. */
static bool is_reading(uint32_t opcode)
{
    return opcode == AEROGPU_CMD_COPY_BUFFER || opcode == AEROGPU_CMD_COPY_TEXTURE2D ||
           opcode == AEROGPU_CMD_CREATE_BUFFER || opcode == AEROGPU_CMD_CREATE_TEXTURE2D ||
           opcode == AEROGPU_CMD_SET_RENDER_TARGETS || opcode == AEROGPU_CMD_DESTROY_RESOURCE;
}

const char *agpu_cmp_register_name(uint32_t offset, bool legacy)
{
    const struct aerogpu_register *reg = aerogpu_register_at(legacy, offset & ~3u);

    return reg != NULL ? reg->name : "no register";
}

static const char *register_section(uint32_t offset)
{
    const struct aerogpu_register *reg = aerogpu_register_at(false, offset & ~3u);

    return reg != NULL ? reg->section : "device.md 3";
}

static const char *memory_section(const struct agpu_gen_program *program,
                                  const struct agpu_cmp_difference *difference)
{
    uint32_t opcodes[48];
    size_t count = opcodes_of(program, difference->step, opcodes, 48);

    if (difference->region == AGPU_GEN_RING) {
        return "ring.md 2";
    }
    if (difference->region == AGPU_GEN_FENCE) {
        return "ring.md 5";
    }
    for (size_t i = count; i > 0; i--) {
        if (!is_reading(opcodes[i - 1])) {
            return packet_section(opcodes[i - 1]);
        }
    }
    for (size_t i = count; i > 0; i--) {
        if (opcodes[i - 1] == AEROGPU_CMD_COPY_BUFFER || opcodes[i - 1] == AEROGPU_CMD_COPY_TEXTURE2D) {
            return packet_section(opcodes[i - 1]);
        }
    }
    return count > 0 ? packet_section(opcodes[count - 1]) : "ring.md 9";
}

/* Returns true when one device alone recorded an error for the last submission: the rule is then that of the packet,
 * not of the register which shows the error. */
static bool is_error_of_one(const struct agpu_gen_program *program,
                            const struct agpu_cmp_difference *difference)
{
    const uint64_t *value = difference->value;
    uint64_t fence = 0;

    for (uint32_t i = 0; i < program->step_count && i <= difference->step; i++) {
        fence = program->steps[i].op == AGPU_GEN_SUBMIT ? program->steps[i].fence : fence;
    }
    return (difference->what == AGPU_CMP_SAW_IRQ_STATUS && (value[0] ^ value[1]) == AEROGPU_IRQ_ERROR) ||
           (difference->what == AGPU_CMP_SAW_ERROR_FENCE && (value[0] == fence) != (value[1] == fence));
}

const char *agpu_cmp_section(const struct agpu_gen_program *program,
                             const struct agpu_cmp_difference *difference)
{
    const struct agpu_gen_step *step = &program->steps[difference->step];
    uint32_t opcodes[48];
    size_t count;

    if (difference->absurd) {
        return "device.md 2";
    }
    if (program->legacy) {
        return difference->what == AGPU_CMP_SAW_VALUE ? "legacy.md 2" : "legacy.md 3";
    }
    if (step->op == AGPU_GEN_RESET || step->op == AGPU_GEN_POWER) {
        return "device.md 2.2";
    }
    if (is_error_of_one(program, difference) || difference->what == AGPU_CMP_SAW_ERROR_CODE ||
        difference->what == AGPU_CMP_SAW_ERROR_COUNT) {
        count = opcodes_of(program, difference->step, opcodes, 48);
        return count > 0 ? packet_section(opcodes[count - 1]) : "ring.md 3.1";
    }
    switch (difference->what) {
    case AGPU_CMP_SAW_VALUE:
        return step->op == AGPU_GEN_CONFIG_READ     ? "device.md 2"
               : step->op == AGPU_GEN_APERTURE_READ ? "device.md 5"
               : step->op == AGPU_GEN_MESSAGES      ? "device.md 1.1"
                                                    : register_section(step->offset);
    case AGPU_CMP_SAW_MEMORY:
        return memory_section(program, difference);
    default:
        return agpu_cmp_what_section(difference->what);
    }
}

void agpu_cmp_sentence(const struct agpu_gen_program *program, const struct agpu_cmp_difference *difference,
                       char text[AGPU_CMP_TEXT])
{
    const struct agpu_gen_step *step = &program->steps[difference->step];
    const uint64_t *value = difference->value;
    char place[96] = "";

    if (difference->died[0] || difference->died[1]) {
        const int who = difference->died[0] ? 0 : 1;

        snprintf(text, AGPU_CMP_TEXT, "%c: %.400s (step %u, %s)", 'A' + who, difference->text[who],
                 difference->step, agpu_gen_op_name((enum agpu_gen_op)step->op));
    } else if (difference->absurd) {
        snprintf(text, AGPU_CMP_TEXT, "%c: %.400s (step %u, %s)", 'A' + (int)difference->of,
                 difference->text[difference->of], difference->step,
                 agpu_gen_op_name((enum agpu_gen_op)step->op));
    } else if (difference->what == AGPU_CMP_SAW_MEMORY) {
        snprintf(text, AGPU_CMP_TEXT,
                 "%s + 0x%x holds %02x %02x %02x %02x on A, %02x %02x %02x %02x on B (%u bytes differ)",
                 agpu_gen_region_name(difference->region), difference->offset, difference->first[0][0],
                 difference->first[0][1], difference->first[0][2], difference->first[0][3],
                 difference->first[1][0], difference->first[1][1], difference->first[1][2],
                 difference->first[1][3], difference->bytes);
    } else {
        if (difference->what == AGPU_CMP_SAW_VALUE && step->op == AGPU_GEN_REGISTER_READ) {
            snprintf(place, sizeof place, " at BAR0 + 0x%x, %s,", step->offset,
                     agpu_cmp_register_name(step->offset, program->legacy));
        } else if (difference->what == AGPU_CMP_SAW_VALUE && step->op == AGPU_GEN_CONFIG_READ) {
            snprintf(place, sizeof place, " in configuration space at 0x%x", step->offset);
        } else if (difference->what == AGPU_CMP_SAW_VALUE && step->op == AGPU_GEN_MESSAGES) {
            snprintf(place, sizeof place, ", message and identities of capabilities,");
        } else if (difference->what == AGPU_CMP_SAW_VALUE && step->op == AGPU_GEN_POWER) {
            snprintf(place, sizeof place, " at CURSOR_X");
        } else if (difference->what == AGPU_CMP_SAW_VALUE) {
            snprintf(place, sizeof place, " in BAR1 at 0x%" PRIx64, step->value);
        }
        snprintf(text, AGPU_CMP_TEXT, "%s%s is 0x%" PRIx64 " on A, 0x%" PRIx64 " on B, after: %s",
                 agpu_cmp_what_name(difference->what), place, value[0], value[1],
                 agpu_gen_op_name((enum agpu_gen_op)step->op));
    }
}
