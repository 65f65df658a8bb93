/* emit.c: writes programs as C. */
#include "tests/cases/random/emit.h"

#include <string.h>

#include "pci/machine/text.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/packet_table.h"

#define LINE_BYTES 400u /* of the longest line */

struct emission {
    const struct agpu_gen_case *item;
    const struct agpu_gen_program *program;
    struct agpu_text text; /* the current line */
    char buffer[LINE_BYTES];
};

static void finish_line(struct emission *to)
{
    to->item->line(to->item->ctx, to->buffer);
    agpu_text_begin(&to->text, to->buffer, sizeof to->buffer);
}

#define LINE(to, ...) (agpu_format(&(to)->text, __VA_ARGS__), finish_line(to))

const char *agpu_gen_emit_refuses(const struct agpu_gen_program *program, uint32_t steps)
{
    if (program->legacy) {
        return "cases are written for the versioned device only";
    }
    for (uint32_t i = 0; i < steps; i++) {
        const enum agpu_gen_op op = (enum agpu_gen_op)program->steps[i].op;

        if (op == AGPU_GEN_RESET || op == AGPU_GEN_APERTURE_READ || op == AGPU_GEN_POWER ||
            op == AGPU_GEN_MESSAGES) {
            return "a case has no steps for a function reset, BAR1 and capabilities";
        }
        if (op == AGPU_GEN_REPEAT) {
            return "a case has no repeated steps";
        }
    }
    return NULL;
}

/* Computes how many bytes of each region the case uses. */
static void find_sizes(const struct agpu_gen_case *item, uint64_t sizes[AGPU_GEN_REGIONS])
{
    const struct agpu_gen_program *program = item->program;
    uint64_t streams = 0, tables = 0;

    memset(sizes, 0, AGPU_GEN_REGIONS * sizeof *sizes);
#define REACH(region, end) (sizes[region] = sizes[region] < (end) ? (end) : sizes[region])
    for (uint32_t i = 0; i < item->steps; i++) {
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
    if (item->check.kind == AGPU_GEN_CHECK_MEMORY) {
        REACH(item->check.region, item->check.offset + (uint64_t)item->check.size);
    }
#undef REACH
    sizes[AGPU_GEN_STREAMS] = streams < AGPU_GEN_STREAMS_BYTES ? streams : AGPU_GEN_STREAMS_BYTES;
    sizes[AGPU_GEN_TABLES] = tables < AGPU_GEN_TABLES_BYTES ? tables : AGPU_GEN_TABLES_BYTES;
    for (uint32_t i = 0; i < AGPU_GEN_REGIONS; i++) {
        const uint64_t most = agpu_gen_region_bytes(i);

        sizes[i] = sizes[i] < most ? sizes[i] : most;
    }
}

static void put_numbers(struct emission *to, const uint8_t *bytes, uint32_t size, bool words)
{
    const uint32_t row = words ? 32 : 16;

    for (uint32_t i = 0; i < size; i += words ? 4 : 1) {
        uint32_t value = bytes[i];

        if (words) {
            memcpy(&value, bytes + i, sizeof value);
        }
        agpu_format(&to->text, "%s0x%x,", i % row == 0 ? "        " : " ", value);
        if (i % row == row - (words ? 4 : 1)) {
            finish_line(to);
        }
    }
    if (to->text.length != 0) {
        finish_line(to);
    }
    LINE(to, "    };");
}

static void put_comment(struct emission *to, const struct agpu_gen_step *step)
{
    const uint32_t *packet;
    uint32_t at = 0;
    bool any = false;

    agpu_format(&to->text, "    /*");
    while (to->text.length < LINE_BYTES / 2 &&
           (packet = agpu_gen_packet_next(to->program, step, &at)) != NULL) {
        const char *name = aerogpu_packet_name(packet[0]);

        agpu_format(&to->text, "%s %s", any ? "," : "", name != NULL ? name : "unknown opcode");
        any = true;
    }
    LINE(to, "%s */", !any ? " no packets" : at < step->bytes ? " ..." : "");
}

/* Writes the tables that a step refers to. */
static void put_tables(struct emission *to, uint32_t number)
{
    const struct agpu_gen_program *program = to->program;
    const struct agpu_gen_step *step = &program->steps[number];

    if (step->op == AGPU_GEN_MEMORY && step->bytes > 0) {
        LINE(to, "    static const uint8_t bytes_%u[] = {", number);
        put_numbers(to, program->bytes + step->bytes_at, step->bytes, false);
    }
    if (step->op != AGPU_GEN_SUBMIT) {
        return;
    }
    if (step->bytes > 0) {
        put_comment(to, step);
        LINE(to, "    static const uint32_t packets_%u[] = {", number);
        put_numbers(to, program->bytes + step->bytes_at, step->bytes, true);
    }
    if (step->entries > 0) {
        LINE(to, "    static const struct agpu_steps_entry entries_%u[] = {", number);
        for (uint32_t i = 0; i < step->entries; i++) {
            const struct agpu_gen_entry *entry = &program->entries[step->entries_at + i];

            LINE(to, "        {.id = 0x%x, .flags = 0x%x, .region = %u, .offset = 0x%x, .size = 0x%jx},",
                 entry->id, entry->flags, entry->region, entry->offset, entry->size);
        }
        LINE(to, "    };");
    }
    if (step->patches > 0) {
        LINE(to, "    static const struct agpu_steps_patch patches_%u[] = {", number);
        for (uint32_t i = 0; i < step->patches; i++) {
            const struct agpu_gen_patch *patch = &program->patches[step->patches_at + i];

            LINE(to, "        {.where = %u, .size = %u, .offset = 0x%x, .value = UINT64_C(0x%jx)},",
                 patch->where, patch->size, patch->offset, patch->value);
        }
        LINE(to, "    };");
    }
}

static void put_submit(struct emission *to, uint32_t number)
{
    const struct agpu_gen_step *step = &to->program->steps[number];

    agpu_format(&to->text, "    agpu_steps_submit(&steps, &(struct agpu_steps_submission){");
    agpu_format(&to->text, ".fence = UINT64_C(0x%jx), .flags = %u", step->fence, step->flags);
    if (step->bytes > 0) {
        agpu_format(&to->text, ", .packets = packets_%u, .packet_bytes = %u", number, step->bytes);
    } else if (step->size == 8) {
        agpu_format(&to->text, ", .empty_stream = true");
    }
    if (step->entries > 0) {
        agpu_format(&to->text, ", .entries = entries_%u, .entry_count = %u", number, step->entries);
    }
    if (step->patches > 0) {
        agpu_format(&to->text, ", .patches = patches_%u, .patch_count = %u", number, step->patches);
    }
    LINE(to, "});");
}

static void put_register(struct emission *to, uint32_t offset, uint32_t size, uint64_t value)
{
    LINE(to, "    agpu_steps_register(&steps, 0x%x, %u, UINT64_C(0x%jx));", offset, size, value);
}

static void put_step(struct emission *to, uint32_t number)
{
    const struct agpu_gen_step *step = &to->program->steps[number];
    const uint32_t bell = step->flags != 0 ? step->flags : 1;

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        put_register(to, step->offset, step->size, step->value);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        LINE(to, "    agpu_steps_address(&steps, 0x%x, %u, UINT64_C(0x%jx), %u);", step->offset, step->region,
             step->value,
             step->size == 4   ? 1u
             : step->size == 1 ? 2u
                               : 3u);
        break;
    case AGPU_GEN_CONFIG_WRITE:
        LINE(to, "    agpu_steps_config(&steps, 0x%x, %u, 0x%x);", step->offset, step->size,
             (uint32_t)step->value);
        break;
    case AGPU_GEN_MEMORY:
        LINE(to, "    agpu_steps_bytes(&steps, %u, 0x%x, bytes_%u, sizeof bytes_%u);", step->region,
             step->offset, number, number);
        break;
    case AGPU_GEN_FILL:
        LINE(to, "    agpu_steps_fill(&steps, %u, 0x%x, 0x%x, UINT64_C(0x%jx));", step->region, step->offset,
             (uint32_t)step->value, step->fence);
        break;
    case AGPU_GEN_RING_SET:
        LINE(to, "    agpu_steps_ring(&steps, 0x%x, %u, %u, 0x%x);", step->offset, (uint32_t)step->value,
             64u + step->size, (uint32_t)step->fence);
        break;
    case AGPU_GEN_SUBMIT:
        put_submit(to, number);
        break;
    case AGPU_GEN_DOORBELL:
        if (step->size == AGPU_GEN_UNOBSERVED) {
            put_register(to, AEROGPU_MMIO_REG_DOORBELL, 4, bell);
        } else {
            LINE(to, "    agpu_steps_doorbell(&steps, 0x%x, UINT64_C(0x%jx));", bell,
                 to->item->completed(to->item->ctx, number));
        }
        break;
    case AGPU_GEN_ADVANCE:
        LINE(to, "    agpu_steps_%s(&steps, %u);", step->size == 1 ? "stall" : "pass", (uint32_t)step->value);
        break;
    case AGPU_GEN_COMPARE:
        LINE(to, "    agpu_settle(test);");
        break;
    default: /* reads that did not differ */
        break;
    }
}

static void put_register_check(struct emission *to, uint32_t offset, uint32_t size, uint64_t value)
{
    LINE(to, "    agpu_steps_check_register(&steps, 0x%x, %u, UINT64_C(0x%jx));", offset, size, value);
}

static void put_check(struct emission *to)
{
    const struct agpu_gen_check *check = &to->item->check;

    switch (check->kind) {
    case AGPU_GEN_CHECK_MEMORY:
        LINE(to, "    agpu_steps_check_memory(&steps, %u, 0x%x, expected, sizeof expected);", check->region,
             check->offset);
        break;
    case AGPU_GEN_CHECK_LINE:
        LINE(to, "    agpu_steps_check_line(&steps, %s);", check->value != 0 ? "true" : "false");
        break;
    case AGPU_GEN_CHECK_PAIR:
        put_register_check(to, check->offset, 4, (uint32_t)check->value);
        put_register_check(to, check->offset + 4, 4, check->value >> 32);
        break;
    case AGPU_GEN_CHECK_REGISTER:
        put_register_check(to, check->offset, check->size, check->value);
        break;
    case AGPU_GEN_CHECK_CONFIG:
        LINE(to, "    agpu_steps_check_config(&steps, 0x%x, %u, 0x%x);", check->offset, check->size,
             (uint32_t)check->value);
        break;
    }
}

static void put_opening(struct emission *to)
{
    const struct agpu_gen_case *item = to->item;

    LINE(to, "/* %s%s: %s: random work, with the result that a device must have. */", item->name, ".c",
         item->section);
    LINE(to, "#include \"tests/cases/harness/case.h\"");
    LINE(to, "#include \"tests/cases/rig/steps.h\"");
    LINE(to, "#include \"tests/cases/rig/submit.h\"");
    LINE(to, "%s", "");
    agpu_format(&to->text, "/* ");
    for (const char *c = item->sentence; *c != '\0' && to->text.length < LINE_BYTES - 4; c++) {
        agpu_text_char(&to->text, *c == '*' || *c == '/' || *c < ' ' || *c > '~' ? ' ' : *c);
    }
    LINE(to, " */");
    LINE(to, "static void %s(struct agpu_test *test)", item->name);
    LINE(to, "{");
}

void agpu_gen_emit(const struct agpu_gen_case *item)
{
    struct emission to = {.item = item, .program = item->program};
    uint64_t sizes[AGPU_GEN_REGIONS];

    agpu_text_begin(&to.text, to.buffer, sizeof to.buffer);
    find_sizes(item, sizes);
    put_opening(&to);
    agpu_format(&to.text, "    static const uint32_t sizes[AGPU_STEPS_REGIONS] = {");
    for (uint32_t i = 0; i < AGPU_GEN_REGIONS; i++) {
        agpu_format(&to.text, "%s0x%jx", i > 0 ? ", " : "", sizes[i]);
    }
    LINE(&to, "};");
    for (uint32_t i = 0; i < item->steps; i++) {
        put_tables(&to, i);
    }
    if (item->check.kind == AGPU_GEN_CHECK_MEMORY) {
        LINE(&to, "    static const uint8_t expected[] = {");
        put_numbers(&to, item->check.bytes, item->check.size, false);
    }
    LINE(&to, "    struct agpu_steps steps;");
    LINE(&to, "%s", "");
    LINE(&to, "    agpu_return_unless(agpu_steps_open(&steps, test, sizes));");
    for (uint32_t i = 0; i < item->steps; i++) {
        put_step(&to, i);
    }
    put_check(&to);
    LINE(&to, "    agpu_steps_close(&steps);");
    LINE(&to, "}");
    LINE(&to, "%s", "");
    LINE(&to, "static const struct agpu_case cases[] = {");
    LINE(&to, "    {.id = \"%s\", .spec = \"%s\", .needs = AGPU_NEED_FUNCTION, .run = %s},", item->id,
         item->section, item->name);
    LINE(&to, "};");
    LINE(&to, "%s", "");
    LINE(&to, "AGPU_CASE_TABLE(agpu_cases_found_%s, cases);", item->name);
}
