/* describe.c: writes the steps of a program as lines of text. */
#include "tests/cases/random/describe.h"

#include "pci/machine/text.h"
#include "pci/protocol/register_table.h"
#include "ring/protocol/packet_table.h"

#define WORDS_MOST   18u
#define CHANGES_MOST 3u

struct description {
    void (*line)(void *ctx, const char *text);
    void *ctx;
    struct agpu_text text;
    char buffer[240];
};

static void begin_line(struct description *to)
{
    agpu_text_begin(&to->text, to->buffer, sizeof to->buffer);
}

static void end_line(struct description *to)
{
    to->line(to->ctx, to->buffer);
    begin_line(to);
}

/* Returns the last packet of the same kind and size in front of this one, or this one. */
static const uint32_t *packet_before(const struct agpu_gen_program *program, const uint32_t *packet)
{
    const uint32_t *before = packet, *other = NULL;

    for (uint32_t i = 0; i < program->step_count && other != packet; i++) {
        uint32_t at = 0;

        while (program->steps[i].op == AGPU_GEN_SUBMIT && other != packet &&
               (other = agpu_gen_packet_next(program, &program->steps[i], &at)) != NULL) {
            before = other != packet && other[0] == packet[0] && other[1] == packet[1] ? other : before;
        }
    }
    return before;
}

/* Lists the words in which a packet differs from the last one of its kind, if they are few. */
static void packet_changes(const uint32_t *packet, const uint32_t *before, struct description *to)
{
    uint32_t changes = 0, words[CHANGES_MOST];

    for (uint32_t i = 2; i < packet[1] / 4; i++) {
        if (packet[i] != before[i] && changes++ < CHANGES_MOST) {
            words[changes - 1] = i;
        }
    }
    for (uint32_t i = 0; i < changes && changes <= CHANGES_MOST; i++) {
        agpu_format(&to->text, "; word %u was %x", words[i], before[words[i]]);
    }
}

static void program_submission(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                               struct description *to)
{
    static const char *const where[] = {"descriptor", "stream header", "table", "ring header"};
    const uint32_t *packet;
    uint32_t at = 0;

    agpu_format(&to->text, ": fence 0x%jx, flags %x%s", step->fence, step->flags,
                step->invalid ? ", may fail" : "");
    end_line(to);
    for (uint32_t i = 0; i < step->entries; i++) {
        const struct agpu_gen_entry *entry = &program->entries[step->entries_at + i];

        agpu_format(&to->text, "  allocation 0x%x: %s + 0x%x, %ju bytes%s", entry->id,
                    agpu_gen_region_name(entry->region), entry->offset, entry->size,
                    (entry->flags & 1) != 0 ? ", READONLY" : "");
        end_line(to);
    }
    while ((packet = agpu_gen_packet_next(program, step, &at)) != NULL) {
        const char *name = aerogpu_packet_name(packet[0]);

        agpu_format(&to->text, "  %s", name != NULL ? name : "unknown");
        for (uint32_t i = 2; i < packet[1] / 4 && i < WORDS_MOST; i++) {
            agpu_format(&to->text, " %x", packet[i]);
        }
        agpu_text_string(&to->text, packet[1] > WORDS_MOST * 4 ? " ..." : "");
        packet_changes(packet, packet_before(program, packet), to);
        end_line(to);
    }
    if (at < step->bytes) {
        agpu_format(&to->text, "  %u bytes that are not a packet", step->bytes - at);
        end_line(to);
    }
    for (uint32_t i = 0; i < step->patches; i++) {
        const struct agpu_gen_patch *patch = &program->patches[step->patches_at + i];

        agpu_format(&to->text, "  %s + 0x%x := 0x%jx", where[patch->where & 3], patch->offset, patch->value);
        end_line(to);
    }
}

static void program_register(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                             struct description *to)
{
    const struct aerogpu_register *reg = aerogpu_register_at(program->legacy, step->offset & ~3u);

    if (reg == NULL) {
        agpu_format(&to->text, " 0x%x", step->offset);
    } else if (step->offset % 4 != 0) {
        agpu_format(&to->text, " %s byte %u", reg->name, step->offset % 4);
    } else {
        agpu_format(&to->text, " %s", reg->name);
    }
}

static void program_step(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                         struct description *to)
{
    const char *region = agpu_gen_region_name(step->region);

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        program_register(program, step, to);
        agpu_format(&to->text, " := 0x%jx (%u bytes)", step->value, step->size);
        break;
    case AGPU_GEN_REGISTER_READ:
        program_register(program, step, to);
        agpu_format(&to->text, " (%u bytes)", step->size);
        break;
    case AGPU_GEN_CONFIG_WRITE:
        agpu_format(&to->text, " 0x%x := 0x%jx (%u bytes)", step->offset, step->value, step->size);
        break;
    case AGPU_GEN_CONFIG_READ:
        agpu_format(&to->text, " 0x%x (%u bytes)", step->offset, step->size);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        program_register(program, step, to);
        agpu_format(&to->text, " := %s + 0x%jx%s", region, step->value,
                    step->size == 4   ? ", lower half"
                    : step->size == 1 ? ", upper half"
                                      : "");
        break;
    case AGPU_GEN_APERTURE_WRITE:
        agpu_format(&to->text, " 0x%jx := 0x%jx (%u bytes)", step->value, step->fence, step->size);
        break;
    case AGPU_GEN_APERTURE_READ:
        agpu_format(&to->text, " 0x%jx (%u bytes)", step->value, step->size);
        break;
    case AGPU_GEN_MEMORY:
        agpu_format(&to->text, ": %u bytes to %s + 0x%x", step->bytes, region, step->offset);
        break;
    case AGPU_GEN_FILL:
        agpu_format(&to->text, ": %ju bytes of seed 0x%jx to %s + 0x%x", step->value, step->fence, region,
                    step->offset);
        break;
    case AGPU_GEN_RING_SET:
        agpu_format(&to->text, ": %ju entries of %u bytes at ring + 0x%x, first index 0x%jx", step->value,
                    step->size + 64u, step->offset, step->fence);
        break;
    case AGPU_GEN_SUBMIT:
        program_submission(program, step, to);
        return;
    case AGPU_GEN_RESET:
        agpu_text_string(&to->text, step->size == 1 ? " by PCI Express" : "");
        break;
    case AGPU_GEN_POWER:
        agpu_format(&to->text, ": D%ju and back, meanwhile CURSOR_X := 0x%x", step->value, step->flags);
        break;
    case AGPU_GEN_MESSAGES:
        agpu_format(&to->text, ": %s", agpu_gen_way_name((enum agpu_gen_way)step->value));
        break;
    case AGPU_GEN_REPEAT:
        agpu_format(&to->text, ": the last %u steps, %ju times more", step->size, step->value);
        break;
    case AGPU_GEN_ADVANCE:
        agpu_format(&to->text, ": %ju/16 of a vblank period%s", step->value,
                    step->size == 1 ? ", not served" : "");
        break;
    default:
        break;
    }
    end_line(to);
}

void agpu_gen_describe(const struct agpu_gen_program *program, void (*line)(void *ctx, const char *text),
                       void *ctx)
{
    struct description to = {.line = line, .ctx = ctx};

    for (uint32_t i = 0; i < program->step_count; i++) {
        begin_line(&to);
        agpu_format(&to.text, "%u %s", i, agpu_gen_op_name((enum agpu_gen_op)program->steps[i].op));
        program_step(program, &program->steps[i], &to);
    }
}
