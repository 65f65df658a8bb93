/* emit_case.c: writes differences as C. */
#include "tests/host/compare/emit_case.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/random/emit.h"

struct case_source {
    FILE *out;
    const struct agpu_cmp_trace *trace; /* from the first device */
};

/* Returns why a finding cannot be expressed as a case; NULL if it can. */
static const char *refuse(const struct agpu_cmp_finding *finding)
{
    const struct agpu_cmp_difference *difference = &finding->difference;

    if (finding->history || difference->died[0] || difference->died[1] || difference->absurd) {
        return "a device that crashes, hangs, keeps state or asks for absurd DMA cannot be written as a case";
    }
    if (difference->what == AGPU_CMP_SAW_ORDER || difference->what == AGPU_CMP_SAW_VBLANK_SEQ ||
        difference->what == AGPU_CMP_SAW_VBLANK_TIME) {
        return "the order of writes, and the vblank clock, cannot be seen by these steps";
    }
    return agpu_gen_emit_refuses(&finding->program, difference->step + 1);
}

/* Returns the last fence that the first device had completed at the step; 0: unknown. */
static uint64_t completed_at(void *ctx, uint32_t step)
{
    const struct case_source *source = ctx;
    uint64_t value = 0;

    for (uint32_t i = 0; i < source->trace->count && i < source->trace->room; i++) {
        const struct agpu_cmp_observation *saw = &source->trace->list[i];

        if (saw->step == step && saw->what == AGPU_CMP_SAW_COMPLETED) {
            value = saw->value;
        }
    }
    return value;
}

static void put_line(void *ctx, const char *text)
{
    fprintf(((struct case_source *)ctx)->out, "%s\n", text);
}

static struct agpu_gen_check check_of(const struct agpu_cmp_finding *finding)
{
    static const struct {
        enum agpu_gen_checked kind;
        uint32_t offset;
    } registers[AGPU_CMP_SAWS] = {
        [AGPU_CMP_SAW_IRQ_STATUS] = {AGPU_GEN_CHECK_REGISTER, AEROGPU_MMIO_REG_IRQ_STATUS},
        [AGPU_CMP_SAW_ERROR_CODE] = {AGPU_GEN_CHECK_REGISTER, AEROGPU_MMIO_REG_ERROR_CODE},
        [AGPU_CMP_SAW_ERROR_COUNT] = {AGPU_GEN_CHECK_REGISTER, AEROGPU_MMIO_REG_ERROR_COUNT},
        [AGPU_CMP_SAW_COMPLETED] = {AGPU_GEN_CHECK_PAIR, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO},
        [AGPU_CMP_SAW_ERROR_FENCE] = {AGPU_GEN_CHECK_PAIR, AEROGPU_MMIO_REG_ERROR_FENCE_LO},
        [AGPU_CMP_SAW_LINE] = {AGPU_GEN_CHECK_LINE, 0},
    };
    const struct agpu_cmp_difference *difference = &finding->difference;
    const struct agpu_gen_step *step = &finding->program.steps[difference->step];
    struct agpu_gen_check check = {.kind = registers[difference->what].kind,
                                   .offset = registers[difference->what].offset,
                                   .size = 4,
                                   .value = difference->value[0]};

    if (difference->what == AGPU_CMP_SAW_VALUE) {
        check.kind = step->op == AGPU_GEN_CONFIG_READ ? AGPU_GEN_CHECK_CONFIG : AGPU_GEN_CHECK_REGISTER;
        check.offset = step->offset;
        check.size = step->size;
    } else if (difference->what == AGPU_CMP_SAW_MEMORY) {
        const uint32_t room = agpu_gen_region_bytes(difference->region) - difference->offset;

        check = (struct agpu_gen_check){
            .kind = AGPU_GEN_CHECK_MEMORY,
            .region = difference->region,
            .offset = difference->offset,
            .size = room < sizeof difference->first[0] ? room : (uint32_t)sizeof difference->first[0],
            .bytes = difference->first[0]};
    }
    return check;
}

bool agpu_cmp_emit(FILE *out, const char *id, const char *name, const struct agpu_cmp_finding *finding,
                   struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT])
{
    const char *refused = refuse(finding);
    struct case_source source = {.out = out};

    if (refused != NULL) {
        snprintf(text, AGPU_CMP_TEXT, "no case: %s", refused);
        return false;
    }
    agpu_cmp_start(&pair->sides[0], &pair->common, &finding->program, UINT32_MAX);
    if (agpu_cmp_finish(&pair->sides[0], text) != AGPU_CMP_RAN) {
        return false;
    }
    source.trace = agpu_cmp_trace_of(&pair->sides[0]);
    agpu_gen_emit(&(struct agpu_gen_case){.id = id,
                                          .name = name,
                                          .section = finding->section,
                                          .sentence = finding->sentence,
                                          .program = &finding->program,
                                          .steps = finding->difference.step + 1,
                                          .check = check_of(finding),
                                          .completed = completed_at,
                                          .line = put_line,
                                          .ctx = &source});
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
