/* emit_case.c: writes programs as C. */
#include "tests/host/compare/emit_case.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

struct emission {
    FILE *out;
    const char *name;
    const struct agpu_gen_program *program;
    const struct agpu_cmp_difference *difference;
    const struct agpu_cmp_trace *trace; /* from the first device */
};

/* Returns why a finding cannot be expressed as a case; NULL if it can. */
static const char *refuse(const struct agpu_cmp_finding *finding)
{
    const struct agpu_gen_program *program = &finding->program;

    if (finding->history || finding->difference.died[0] || finding->difference.died[1] ||
        finding->difference.absurd) {
        return "a device that crashes, hangs, keeps state or asks for absurd DMA cannot be written as a case";
    }
    if (program->legacy) {
        return "cases are written for the versioned device only";
    }
    if (finding->difference.what == AGPU_CMP_SAW_ORDER ||
        finding->difference.what == AGPU_CMP_SAW_VBLANK_SEQ ||
        finding->difference.what == AGPU_CMP_SAW_VBLANK_TIME) {
        return "the order of writes, and the vblank clock, cannot be seen by these steps";
    }
    for (uint32_t i = 0; i <= finding->difference.step; i++) {
        const enum agpu_gen_op op = (enum agpu_gen_op)program->steps[i].op;

        if (op == AGPU_GEN_RESET || op == AGPU_GEN_APERTURE_READ || op == AGPU_GEN_POWER ||
            op == AGPU_GEN_MESSAGES) {
            return "a case has no steps for a function reset, BAR1 and capabilities";
        }
    }
    return NULL;
}

/* Computes how many bytes of each region the program uses. */
static void find_sizes(const struct agpu_gen_program *program, const struct agpu_cmp_difference *difference,
                       uint64_t sizes[AGPU_GEN_REGIONS])
{
    uint64_t streams = 0, tables = 0;

    memset(sizes, 0, AGPU_GEN_REGIONS * sizeof *sizes);
#define REACH(region, end) (sizes[region] = sizes[region] < (end) ? (end) : sizes[region])
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct agpu_gen_step *step = &program->steps[i];

        switch ((enum agpu_gen_op)step->op) {
        case AGPU_GEN_ADDRESS_WRITE:
            if (step->region < AGPU_GEN_REGIONS) {
                REACH(step->region, step->value + 4096);
            }
            break;
        case AGPU_GEN_MEMORY:
            REACH(step->region, step->offset + (uint64_t)step->bytes);
            break;
        case AGPU_GEN_FILL:
            REACH(step->region, step->offset + step->value);
            break;
        case AGPU_GEN_RING_SET:
            REACH(AGPU_GEN_RING, step->offset + 64 + step->value * (64 + (uint64_t)step->size));
            break;
        case AGPU_GEN_SUBMIT:
            streams += (24 + step->bytes + 7) & ~7ull;
            tables += (24 + 32 * (uint64_t)step->entries + 7) & ~7ull;
            for (uint32_t n = 0; n < step->entries; n++) {
                const struct agpu_gen_entry *entry = &program->entries[step->entries_at + n];

                if (entry->region < AGPU_GEN_REGIONS) {
                    REACH(entry->region, entry->offset + entry->size);
                }
            }
            break;
        default:
            break;
        }
    }
    if (difference->what == AGPU_CMP_SAW_MEMORY) {
        REACH(difference->region, difference->offset + (uint64_t)sizeof difference->first[0]);
    }
#undef REACH
    sizes[AGPU_GEN_STREAMS] = streams < AGPU_GEN_STREAMS_BYTES ? streams : AGPU_GEN_STREAMS_BYTES;
    sizes[AGPU_GEN_TABLES] = tables < AGPU_GEN_TABLES_BYTES ? tables : AGPU_GEN_TABLES_BYTES;
    for (uint32_t i = 0; i < AGPU_GEN_REGIONS; i++) {
        const uint64_t most = agpu_gen_region_bytes(i);

        sizes[i] = sizes[i] < most ? sizes[i] : most;
    }
}

static void put_numbers(FILE *out, const uint8_t *bytes, uint32_t size, bool words)
{
    for (uint32_t i = 0; i < size; i += words ? 4 : 1) {
        uint32_t value = bytes[i];

        if (words) {
            memcpy(&value, bytes + i, sizeof value);
        }
        fprintf(out, "%s0x%x,", i % (words ? 32 : 16) == 0 ? "\n        " : " ", value);
    }
    fputs("\n    };\n", out);
}

static void put_comment(FILE *out, const struct agpu_gen_program *program, const struct agpu_gen_step *step)
{
    const uint32_t *packet;
    uint32_t at = 0;
    bool any = false;

    fputs("    /*", out);
    while ((packet = agpu_gen_packet_next(program, step, &at)) != NULL) {
        fprintf(out, "%s %s", any ? "," : "", agpu_cmp_packet_name(packet[0]));
        any = true;
    }
    fputs(any ? " */\n" : " no packets */\n", out);
}

/* Writes the tables that a step refers to. */
static void put_data(const struct emission *emission, uint32_t number)
{
    const struct agpu_gen_program *program = emission->program;
    const struct agpu_gen_step *step = &program->steps[number];
    FILE *out = emission->out;

    if (step->op == AGPU_GEN_MEMORY && step->bytes > 0) {
        fprintf(out, "    static const uint8_t bytes_%u[] = {", number);
        put_numbers(out, program->bytes + step->bytes_at, step->bytes, false);
    }
    if (step->op != AGPU_GEN_SUBMIT) {
        return;
    }
    if (step->bytes > 0) {
        put_comment(out, program, step);
        fprintf(out, "    static const uint32_t packets_%u[] = {", number);
        put_numbers(out, program->bytes + step->bytes_at, step->bytes, true);
    }
    if (step->entries > 0) {
        fprintf(out, "    static const struct agpu_steps_entry entries_%u[] = {\n", number);
        for (uint32_t i = 0; i < step->entries; i++) {
            const struct agpu_gen_entry *entry = &program->entries[step->entries_at + i];

            fprintf(out,
                    "        {.id = 0x%x, .flags = 0x%x, .region = %u, .offset = 0x%x, .size = 0x%" PRIx64
                    "},\n",
                    entry->id, entry->flags, entry->region, entry->offset, entry->size);
        }
        fputs("    };\n", out);
    }
    if (step->patches > 0) {
        fprintf(out, "    static const struct agpu_steps_patch patches_%u[] = {\n", number);
        for (uint32_t i = 0; i < step->patches; i++) {
            const struct agpu_gen_patch *patch = &program->patches[step->patches_at + i];

            fprintf(out,
                    "        {.where = %u, .size = %u, .offset = 0x%x, .value = UINT64_C(0x%" PRIx64 ")},\n",
                    patch->where, patch->size, patch->offset, patch->value);
        }
        fputs("    };\n", out);
    }
}

/* Returns the last fence that the first device had completed at the step; 0: unknown. */
static uint64_t completed_at(const struct emission *emission, uint32_t step)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < emission->trace->count && i < emission->trace->room; i++) {
        const struct agpu_cmp_observation *saw = &emission->trace->list[i];

        if (saw->step == step && saw->what == AGPU_CMP_SAW_COMPLETED) {
            value = saw->value;
        }
    }
    return value;
}

static void put_submit(const struct emission *emission, uint32_t number)
{
    const struct agpu_gen_step *step = &emission->program->steps[number];
    FILE *out = emission->out;

    fprintf(out,
            "    agpu_steps_submit(&steps, &(struct agpu_steps_submission){.fence = UINT64_C(0x%" PRIx64
            "), .flags = %u",
            step->fence, step->flags);
    if (step->bytes > 0) {
        fprintf(out, ", .packets = packets_%u, .packet_bytes = %u", number, step->bytes);
    } else if (step->size == 8) {
        fputs(", .empty_stream = true", out);
    }
    if (step->entries > 0) {
        fprintf(out, ", .entries = entries_%u, .entry_count = %u", number, step->entries);
    }
    if (step->patches > 0) {
        fprintf(out, ", .patches = patches_%u, .patch_count = %u", number, step->patches);
    }
    fputs("});\n", out);
}

static void put_step(const struct emission *emission, uint32_t number)
{
    const struct agpu_gen_step *step = &emission->program->steps[number];
    FILE *out = emission->out;

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        fprintf(out, "    agpu_steps_register(&steps, 0x%x, %u, UINT64_C(0x%" PRIx64 "));\n", step->offset,
                step->size, step->value);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        fprintf(out, "    agpu_steps_address(&steps, 0x%x, %u, UINT64_C(0x%" PRIx64 "), %u);\n", step->offset,
                step->region, step->value,
                step->size == 4   ? 1u
                : step->size == 1 ? 2u
                                  : 3u);
        break;
    case AGPU_GEN_CONFIG_WRITE:
        fprintf(out, "    agpu_steps_config(&steps, 0x%x, %u, 0x%x);\n", step->offset, step->size,
                (uint32_t)step->value);
        break;
    case AGPU_GEN_MEMORY:
        fprintf(out, "    agpu_steps_bytes(&steps, %u, 0x%x, bytes_%u, sizeof bytes_%u);\n", step->region,
                step->offset, number, number);
        break;
    case AGPU_GEN_FILL:
        fprintf(out, "    agpu_steps_fill(&steps, %u, 0x%x, 0x%x, UINT64_C(0x%" PRIx64 "));\n", step->region,
                step->offset, (uint32_t)step->value, step->fence);
        break;
    case AGPU_GEN_RING_SET:
        fprintf(out, "    agpu_steps_ring(&steps, 0x%x, %u, %u, 0x%x);\n", step->offset,
                (uint32_t)step->value, 64u + step->size, (uint32_t)step->fence);
        break;
    case AGPU_GEN_SUBMIT:
        put_submit(emission, number);
        break;
    case AGPU_GEN_DOORBELL:
        fprintf(out, "    agpu_steps_doorbell(&steps, 0x%x, UINT64_C(0x%" PRIx64 "));\n",
                step->flags != 0 ? step->flags : 1, completed_at(emission, number));
        break;
    case AGPU_GEN_ADVANCE:
        fprintf(out, "    agpu_steps_pass(&steps, %u);\n", (uint32_t)step->value);
        break;
    case AGPU_GEN_COMPARE:
        fputs("    agpu_settle(test);\n", out);
        break;
    default: /* reads that did not differ */
        break;
    }
}

static void put_check(const struct emission *emission)
{
    static const uint32_t registers[AGPU_CMP_SAWS] = {
        [AGPU_CMP_SAW_IRQ_STATUS] = AEROGPU_MMIO_REG_IRQ_STATUS,
        [AGPU_CMP_SAW_ERROR_CODE] = AEROGPU_MMIO_REG_ERROR_CODE,
        [AGPU_CMP_SAW_ERROR_COUNT] = AEROGPU_MMIO_REG_ERROR_COUNT,
    };
    const struct agpu_cmp_difference *difference = emission->difference;
    const struct agpu_gen_step *step = &emission->program->steps[difference->step];
    const uint32_t room = agpu_gen_region_bytes(difference->region) - difference->offset;
    FILE *out = emission->out;

    switch (difference->what) {
    case AGPU_CMP_SAW_MEMORY:
        fprintf(out, "    agpu_steps_check_memory(&steps, %u, 0x%x, expected, %u);\n", difference->region,
                difference->offset,
                room < sizeof difference->first[0] ? room : (uint32_t)sizeof difference->first[0]);
        break;
    case AGPU_CMP_SAW_LINE:
        fprintf(out, "    agpu_steps_check_line(&steps, %s);\n",
                difference->value[0] != 0 ? "true" : "false");
        break;
    case AGPU_CMP_SAW_VALUE:
        fprintf(out, "    agpu_steps_check_%s(&steps, 0x%x, %u, UINT64_C(0x%" PRIx64 "));\n",
                step->op == AGPU_GEN_CONFIG_READ ? "config" : "register", step->offset, step->size,
                difference->value[0]);
        break;
    case AGPU_CMP_SAW_COMPLETED:
    case AGPU_CMP_SAW_ERROR_FENCE: {
        const uint32_t lo = difference->what == AGPU_CMP_SAW_COMPLETED ? AEROGPU_MMIO_REG_COMPLETED_FENCE_LO
                                                                       : AEROGPU_MMIO_REG_ERROR_FENCE_LO;

        fprintf(out, "    agpu_steps_check_register(&steps, 0x%x, 4, 0x%x);\n", lo,
                (uint32_t)difference->value[0]);
        fprintf(out, "    agpu_steps_check_register(&steps, 0x%x, 4, 0x%x);\n", lo + 4,
                (uint32_t)(difference->value[0] >> 32));
        break;
    }
    default:
        fprintf(out, "    agpu_steps_check_register(&steps, 0x%x, 4, 0x%x);\n", registers[difference->what],
                (uint32_t)difference->value[0]);
        break;
    }
}

bool agpu_cmp_emit(FILE *out, const char *id, const char *name, const struct agpu_cmp_finding *finding,
                   struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT])
{
    const char *refused = refuse(finding);
    struct emission emission = {
        .out = out, .name = name, .program = &finding->program, .difference = &finding->difference};
    const uint32_t last = finding->difference.step;
    uint64_t sizes[AGPU_GEN_REGIONS];

    if (refused != NULL) {
        snprintf(text, AGPU_CMP_TEXT, "no case: %s", refused);
        return false;
    }
    agpu_cmp_start(&pair->sides[0], &pair->common, &finding->program, UINT32_MAX);
    if (agpu_cmp_finish(&pair->sides[0], text) != AGPU_CMP_RAN) {
        return false;
    }
    emission.trace = agpu_cmp_trace_of(&pair->sides[0]);
    find_sizes(&finding->program, &finding->difference, sizes);
    fprintf(out, "/* %s%s: %s: a difference of two devices, with the result of one of them. */\n", name, ".c",
            finding->section);
    fputs("#include \"tests/cases/harness/case.h\"\n#include \"tests/cases/rig/steps.h\"\n#include "
          "\"tests/cases/rig/submit.h\"\n\n",
          out);
    fprintf(out, "/* ");
    for (const char *c = finding->sentence; *c != '\0'; c++) {
        fputc(*c == '*' || *c == '/' || !isprint((unsigned char)*c) ? ' ' : *c, out);
    }
    fprintf(out, " */\nstatic void %s(struct agpu_test *test)\n{\n", name);
    fputs("    static const uint32_t sizes[AGPU_STEPS_REGIONS] = {", out);
    for (uint32_t i = 0; i < AGPU_GEN_REGIONS; i++) {
        fprintf(out, "%s0x%" PRIx64, i > 0 ? ", " : "", sizes[i]);
    }
    fputs("};\n", out);
    for (uint32_t i = 0; i <= last; i++) {
        put_data(&emission, i);
    }
    if (finding->difference.what == AGPU_CMP_SAW_MEMORY) {
        fputs("    static const uint8_t expected[] = {", out);
        put_numbers(out, finding->difference.first[0], sizeof finding->difference.first[0], false);
    }
    fputs("    struct agpu_steps steps;\n\n    agpu_return_unless(agpu_steps_open(&steps, test, sizes));\n",
          out);
    for (uint32_t i = 0; i <= last; i++) {
        put_step(&emission, i);
    }
    put_check(&emission);
    fprintf(out,
            "    agpu_steps_close(&steps);\n}\n\nstatic const struct agpu_case cases[] = {\n"
            "    {.id = \"%s\", .spec = \"%s\", .needs = AGPU_NEED_FUNCTION, .run = %s},\n};\n\n"
            "AGPU_CASE_TABLE(agpu_cases_found_%s, cases);\n",
            id, finding->section, name, name);
    return true;
}

bool agpu_cmp_emit_file(const char *path, const struct agpu_cmp_finding *finding, struct agpu_cmp_pair *pair,
                        char text[AGPU_CMP_TEXT])
{
    const char *slash = strrchr(path, '/');
    char name[80], id[96];
    FILE *out;
    bool good;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash != NULL ? slash + 1 : path, "."),
             slash != NULL ? slash + 1 : path);
    for (char *c = name; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    }
    snprintf(id, sizeof id, "found.%s", name);
    out = fopen(path, "we");
    if (out == NULL) {
        snprintf(text, AGPU_CMP_TEXT, "%s", strerror(errno));
        return false;
    }
    good = agpu_cmp_emit(out, id, name, finding, pair, text);
    if (fclose(out) != 0 && good) {
        snprintf(text, AGPU_CMP_TEXT, "%s", strerror(errno));
        good = false;
    }
    if (!good) {
        remove(path);
    }
    return good;
}
