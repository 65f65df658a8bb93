/* cause.c: computes the keys. */
#include "tests/host/compare/cause.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/plugin/guard.h"
#include "tests/host/compare/heap.h"

#define OPCODES       48u
#define REGISTERS     16u
#define PREFILL_SEED  UINT64_C(0x5EED)
#define PREFILL_BYTES 0x10000u /* location of a program's allocations */
#define REGISTER_MASK 0xFFFFCu

/* ---- what a program has that can decide ---- */

struct deciding {
    uint32_t opcodes[OPCODES]; /* each once, sorted */
    size_t opcode_count;
    uint32_t registers[REGISTERS]; /* written in an unusual way, in order */
    size_t register_count;
};

static void add_sorted(uint32_t *list, size_t *count, size_t room, uint32_t value)
{
    size_t at = 0;

    while (at < *count && list[at] < value) {
        at++;
    }
    if (*count == room || (at < *count && list[at] == value)) {
        return;
    }
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = value;
    ++*count;
}

/* Returns true for packets that all programs with resources need, and that never decide alone. */
static bool is_scaffold(uint32_t opcode)
{
    switch (opcode) {
    case AEROGPU_CMD_NOP:
    case AEROGPU_CMD_FLUSH:
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_RESOURCE:
    case AEROGPU_CMD_SET_RENDER_TARGETS:
        return true;
    default:
        return false;
    }
}

/* Returns true for packets that only copy results of others to memory. */
static bool is_reader(uint32_t opcode)
{
    return opcode == AEROGPU_CMD_COPY_BUFFER || opcode == AEROGPU_CMD_COPY_TEXTURE2D ||
           opcode == AEROGPU_CMD_PRESENT || opcode == AEROGPU_CMD_PRESENT_EX;
}

/* Maps two packets with the same function to one. */
static uint32_t same_as(uint32_t opcode)
{
    return opcode == AEROGPU_CMD_PRESENT_EX     ? AEROGPU_CMD_PRESENT
           : opcode == AEROGPU_CMD_DRAW_INDEXED ? AEROGPU_CMD_DRAW
                                                : opcode;
}

enum keep { KEEP_ALL, KEEP_READERS, KEEP_OTHERS };

static void collect_packets(const struct agpu_gen_program *program, uint32_t first, uint32_t last,
                            enum keep keep, struct deciding *deciding)
{
    for (uint32_t i = first; i < program->step_count && i <= last; i++) {
        const struct agpu_gen_step *step = &program->steps[i];
        const uint32_t *packet;
        uint32_t offset = 0;

        while (step->op == AGPU_GEN_SUBMIT &&
               (packet = agpu_gen_packet_next(program, step, &offset)) != NULL) {
            const bool reads = is_reader(packet[0]);

            if (keep == KEEP_ALL || (!is_scaffold(packet[0]) && reads == (keep == KEEP_READERS))) {
                add_sorted(deciding->opcodes, &deciding->opcode_count, OPCODES, same_as(packet[0]));
            }
        }
    }
}

/* Returns true for a register write that is more than a setting: half of an address, a reset, part of a dword. */
static bool is_own_way(const struct agpu_gen_step *step)
{
    if (step->op == AGPU_GEN_ADDRESS_WRITE) {
        return step->size == 4 || step->size == 1;
    }
    if (step->op != AGPU_GEN_REGISTER_WRITE) {
        return false;
    }
    return (step->size != 0 && step->size != 4) || step->offset % 4 != 0 ||
           (step->offset == AEROGPU_MMIO_REG_RING_CONTROL &&
            (step->value & AEROGPU_RING_CONTROL_RESET) != 0) ||
           (step->offset & REGISTER_MASK) == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO ||
           (step->offset & REGISTER_MASK) == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI;
}

static void collect_registers(const struct agpu_gen_program *program, uint32_t last,
                              struct deciding *deciding)
{
    for (uint32_t i = 0; i < program->step_count && i <= last; i++) {
        const struct agpu_gen_step *step = &program->steps[i];

        if (is_own_way(step)) {
            add_sorted(deciding->registers, &deciding->register_count, REGISTERS,
                       (step->offset & REGISTER_MASK) +
                           (step->op == AGPU_GEN_ADDRESS_WRITE && step->size == 1 ? 4 : 0));
        } else if (step->op == AGPU_GEN_RESET || step->op == AGPU_GEN_POWER ||
                   step->op == AGPU_GEN_MESSAGES) {
            add_sorted(deciding->registers, &deciding->register_count, REGISTERS,
                       UINT32_MAX - step->op * 2u - (step->size == 1));
        }
    }
}

/* ---- where it happens ---- */

static bool is_step_acting(const struct agpu_gen_step *step)
{
    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_READ:
    case AGPU_GEN_CONFIG_READ:
    case AGPU_GEN_APERTURE_READ:
    case AGPU_GEN_COMPARE:
    case AGPU_GEN_FILL:
    case AGPU_GEN_MEMORY:
        return false;
    default:
        return true;
    }
}

/* Returns the last step up to `last` that makes the device act; NULL: none. */
static const struct agpu_gen_step *acting_step(const struct agpu_gen_program *program, uint32_t last)
{
    for (uint32_t i = last + 1; i > 0; i--) {
        if (i <= program->step_count && is_step_acting(&program->steps[i - 1])) {
            return &program->steps[i - 1];
        }
    }
    return NULL;
}

static bool has_step(const struct agpu_gen_program *program, uint32_t last, enum agpu_gen_op op)
{
    for (uint32_t i = 0; i < program->step_count && i <= last; i++) {
        if (program->steps[i].op == op) {
            return true;
        }
    }
    return false;
}

static const struct agpu_gen_step *last_submission(const struct agpu_gen_program *program, uint32_t last)
{
    for (uint32_t i = last + 1; i > 0; i--) {
        if (i <= program->step_count && program->steps[i - 1].op == AGPU_GEN_SUBMIT) {
            return &program->steps[i - 1];
        }
    }
    return NULL;
}

/* ---- words of a key ---- */

struct key {
    char *text;
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) add_words(struct key *key, const char *format, ...)
{
    va_list arguments;
    int written;

    if (key->length >= AGPU_CMP_TEXT - 1) {
        return;
    }
    va_start(arguments, format);
    written = vsnprintf(key->text + key->length, AGPU_CMP_TEXT - key->length, format, arguments);
    va_end(arguments);
    key->length += written > 0 ? (size_t)written : 0;
}

static void add_deciding(struct key *key, const struct deciding *deciding)
{
    for (size_t i = 0; i < deciding->register_count; i++) {
        add_words(key, deciding->registers[i] > REGISTER_MASK ? " by %x" : " reg %x", deciding->registers[i]);
    }
    for (size_t i = 0; i < deciding->opcode_count; i++) {
        const char *name = agpu_cmp_packet_name(deciding->opcodes[i]);

        add_words(key, " %s", name);
    }
}

/* Adds which side has bits, or a number, that the other lacks. */
static void add_direction(struct key *key, uint64_t a, uint64_t b)
{
    add_words(key, (a & ~b) != 0 && (b & ~a) != 0 ? " otherwise" : (a & ~b) != 0 ? " A more" : " B more");
}

static void add_action(struct key *key, const struct agpu_gen_program *program, uint32_t last)
{
    const struct agpu_gen_step *step = acting_step(program, last);

    if (step == NULL) {
        add_words(key, " at once");
    } else if (step->op == AGPU_GEN_REGISTER_WRITE || step->op == AGPU_GEN_ADDRESS_WRITE ||
               step->op == AGPU_GEN_CONFIG_WRITE) {
        add_words(key, " after %s %x", agpu_gen_op_name((enum agpu_gen_op)step->op),
                  step->offset & REGISTER_MASK);
    } else {
        add_words(key, " after %s", agpu_gen_op_name((enum agpu_gen_op)step->op));
    }
}

/* ---- kinds ---- */

static bool was_seen(const struct agpu_cmp_difference *difference, enum agpu_cmp_what what)
{
    return (difference->seen >> what & 1) != 0;
}

static bool is_other(const struct agpu_cmp_difference *difference, enum agpu_cmp_what what)
{
    return was_seen(difference, what) && difference->saw[0][what] != difference->saw[1][what];
}

static bool is_at(const struct agpu_gen_step *step, uint32_t first, uint32_t end)
{
    return step->op == AGPU_GEN_REGISTER_READ && step->offset >= first && step->offset < end;
}

static bool is_about_errors(const struct agpu_gen_program *program,
                            const struct agpu_cmp_difference *difference)
{
    const struct agpu_gen_step *step = &program->steps[difference->step];

    switch (difference->what) {
    case AGPU_CMP_SAW_ERROR_CODE:
    case AGPU_CMP_SAW_ERROR_FENCE:
    case AGPU_CMP_SAW_ERROR_COUNT:
        return true;
    case AGPU_CMP_SAW_IRQ_STATUS:
        return (difference->value[0] ^ difference->value[1]) == AEROGPU_IRQ_ERROR &&
               (is_other(difference, AGPU_CMP_SAW_ERROR_COUNT) ||
                is_other(difference, AGPU_CMP_SAW_ERROR_FENCE));
    case AGPU_CMP_SAW_VALUE:
        return is_at(step, AEROGPU_MMIO_REG_ERROR_CODE, AEROGPU_MMIO_REG_ERROR_COUNT + 4);
    default:
        return false;
    }
}

/* Adds the subject of an error: the packet, or the damaged field of a structure. */
static void add_subject(struct key *key, const struct agpu_gen_program *program, uint32_t last)
{
    const struct agpu_gen_step *step = last_submission(program, last);
    const uint32_t *packet, *found = NULL;
    uint32_t offset = 0;

    if (step == NULL) {
        return;
    }
    for (uint32_t i = 0; i < step->patches; i++) {
        const struct agpu_gen_patch *patch = &program->patches[step->patches_at + i];

        add_words(key, " damage %u+%x", patch->where, patch->offset);
    }
    while (step->patches == 0 && (packet = agpu_gen_packet_next(program, step, &offset)) != NULL) {
        found = packet;
    }
    if (found != NULL) {
        add_words(key, " %s", agpu_cmp_packet_name(same_as(*found)));
    }
}

static void error_key(struct key *key, const struct agpu_gen_program *program,
                      const struct agpu_cmp_difference *difference)
{
    const struct agpu_gen_step *step = last_submission(program, difference->step);
    const uint64_t *counts[2] = {&difference->saw[0][AGPU_CMP_SAW_ERROR_COUNT],
                                 &difference->saw[1][AGPU_CMP_SAW_ERROR_COUNT]};
    const uint64_t *fences[2] = {&difference->saw[0][AGPU_CMP_SAW_ERROR_FENCE],
                                 &difference->saw[1][AGPU_CMP_SAW_ERROR_FENCE]};

    if (difference->what == AGPU_CMP_SAW_ERROR_COUNT && !is_other(difference, AGPU_CMP_SAW_ERROR_FENCE)) {
        add_words(key, "a different error count");
        add_direction(key, difference->value[0], difference->value[1]);
        return;
    }
    if (is_other(difference, AGPU_CMP_SAW_ERROR_COUNT) && *counts[0] != *counts[1]) {
        add_words(key, "error of %c alone", *counts[0] > *counts[1] ? 'A' : 'B');
    } else if (is_other(difference, AGPU_CMP_SAW_ERROR_FENCE) && step != NULL &&
               (*fences[0] == step->fence) != (*fences[1] == step->fence)) {
        add_words(key, "error of %c alone", *fences[0] == step->fence ? 'A' : 'B');
    } else {
        add_words(key, "error %s %" PRIx64 " %" PRIx64, agpu_cmp_what_name(difference->what),
                  difference->what == AGPU_CMP_SAW_ERROR_CODE ? difference->value[0] : 0,
                  difference->what == AGPU_CMP_SAW_ERROR_CODE ? difference->value[1] : 0);
    }
    add_subject(key, program, difference->step);
}

static bool is_about_interrupts(const struct agpu_gen_program *program,
                                const struct agpu_cmp_difference *difference)
{
    return difference->what == AGPU_CMP_SAW_IRQ_STATUS || difference->what == AGPU_CMP_SAW_LINE ||
           (difference->what == AGPU_CMP_SAW_VALUE &&
            is_at(&program->steps[difference->step], AEROGPU_MMIO_REG_IRQ_STATUS,
                  AEROGPU_MMIO_REG_IRQ_ENABLE));
}

static void interrupt_key(struct key *key, const struct agpu_gen_program *program,
                          const struct agpu_cmp_difference *difference)
{
    const bool status =
        difference->what != AGPU_CMP_SAW_LINE || is_other(difference, AGPU_CMP_SAW_IRQ_STATUS);
    const bool by_line = difference->what == AGPU_CMP_SAW_LINE && status;
    const uint64_t a = by_line ? difference->saw[0][AGPU_CMP_SAW_IRQ_STATUS] : difference->value[0];
    const uint64_t b = by_line ? difference->saw[1][AGPU_CMP_SAW_IRQ_STATUS] : difference->value[1];

    add_words(key, status ? "IRQ_STATUS" : "line");
    add_direction(key, a, b);
    if (status) { /* the step raised or cleared a cause */
        add_action(key, program, difference->step);
        return;
    }
    /* The line is high when a cause is pending and enabled, and INTx is not disabled, however that came about. */
    add_words(key, "%s%s%s",
              was_seen(difference, AGPU_CMP_SAW_IRQ_STATUS) &&
                      difference->saw[0][AGPU_CMP_SAW_IRQ_STATUS] != 0
                  ? ", pending"
                  : "",
              has_step(program, difference->step, AGPU_GEN_MESSAGES) ? ", by message" : "",
              has_step(program, difference->step, AGPU_GEN_CONFIG_WRITE) ? ", turned off" : "");
}

static void memory_key(struct key *key, const struct agpu_gen_program *program,
                       const struct agpu_cmp_difference *difference)
{
    struct deciding deciding = {0};

    if (difference->region >= AGPU_GEN_RING) {
        add_words(key, "%s", agpu_gen_region_name(difference->region));
        collect_registers(program, difference->step, &deciding);
        add_deciding(key, &deciding);
        return;
    }
    add_words(key, "memory%s",
              difference->wrote[0] == difference->wrote[1] ? ""
              : difference->wrote[0]                       ? " A alone"
                                                           : " B alone");
    collect_packets(program, 0, difference->step, KEEP_OTHERS, &deciding);
    if (deciding.opcode_count == 0 && difference->wrote[0] == difference->wrote[1] &&
        !has_step(program, difference->step, AGPU_GEN_FILL) &&
        !has_step(program, difference->step, AGPU_GEN_MEMORY)) {
        add_words(key, " of what was only created"); /* whichever packet reads it */
        return;
    }
    deciding = (struct deciding){0};
    collect_registers(program, difference->step, &deciding);
    collect_packets(program, 0, difference->step, deciding.register_count > 0 ? KEEP_READERS : KEEP_OTHERS,
                    &deciding);
    if (deciding.opcode_count == 0) {
        collect_packets(program, 0, difference->step, KEEP_READERS, &deciding);
    }
    if (deciding.opcode_count == 0) {
        collect_packets(program, 0, difference->step, KEEP_ALL, &deciding);
    }
    add_deciding(key, &deciding);
}

/* Adds a fence that only one has completed: after an error of both the error's kind does not matter. */
static void fence_key(struct key *key, const struct agpu_gen_program *program,
                      const struct agpu_cmp_difference *difference)
{
    const struct agpu_gen_step *step = last_submission(program, difference->step);
    const bool failed = was_seen(difference, AGPU_CMP_SAW_ERROR_FENCE) && step != NULL && step->fence != 0 &&
                        difference->saw[0][AGPU_CMP_SAW_ERROR_FENCE] == step->fence &&
                        difference->saw[1][AGPU_CMP_SAW_ERROR_FENCE] == step->fence;
    struct deciding deciding = {0};

    add_words(key, "COMPLETED_FENCE %c is behind%s", difference->value[0] < difference->value[1] ? 'A' : 'B',
              failed ? ", an error" : "");
    collect_registers(program, difference->step, &deciding);
    if (!failed) {
        collect_packets(program, 0, difference->step, KEEP_OTHERS, &deciding);
        collect_packets(program, 0, difference->step, KEEP_READERS, &deciding);
    }
    add_deciding(key, &deciding);
}

static void value_key(struct key *key, const struct agpu_gen_program *program,
                      const struct agpu_cmp_difference *difference)
{
    const struct agpu_gen_step *step = &program->steps[difference->step];

    add_words(key, "%s", agpu_gen_op_name((enum agpu_gen_op)step->op));
    if (step->op == AGPU_GEN_REGISTER_READ &&
        ((step->size != 0 && step->size != 4) || step->offset % 4 != 0)) {
        add_words(key, " %u bytes", step->size);
    } else if (step->op != AGPU_GEN_APERTURE_READ) {
        add_words(key, " %x", step->offset & REGISTER_MASK);
    }
    if (step->op == AGPU_GEN_REGISTER_READ) {
        struct deciding deciding = {0};

        collect_registers(program, difference->step, &deciding);
        add_deciding(key, &deciding);
    }
}

bool agpu_cmp_is_hang(const char *text)
{
    return strstr(text, VGPU_GUARD_HANG_WORDS) != NULL;
}

void agpu_cmp_hang_signature(int who, const char *text, char key[AGPU_CMP_TEXT])
{
    struct key words = {.text = key};
    const char *call = strstr(text, VGPU_GUARD_HANG_WORDS);

    /* " in bar_write BAR0 + 0x200 (DOORBELL), size 0x4, ...": the call, and the place. */
    call += call != NULL ? strlen(VGPU_GUARD_HANG_WORDS) : 0;
    key[0] = '\0';
    add_words(&words, "hang of %c%.*s", 'A' + who, call != NULL ? (int)strcspn(call, ",;(") : 0,
              call != NULL ? call : "");
}

void agpu_cmp_signature(const struct agpu_gen_program *program, const struct agpu_cmp_difference *difference,
                        char text[AGPU_CMP_TEXT])
{
    struct key key = {.text = text};

    text[0] = '\0';
    if (difference->died[0] || difference->died[1]) {
        const int who = difference->died[0] ? 0 : 1;
        const struct agpu_gen_step *step = &program->steps[difference->step];

        if (agpu_cmp_is_hang(difference->text[who])) {
            agpu_cmp_hang_signature(who, difference->text[who], text);
            return;
        }
        /* Up to the first number: addresses differ each time. */
        add_words(&key, "died %c %s %.*s", 'A' + who, agpu_gen_op_name((enum agpu_gen_op)step->op),
                  (int)strcspn(difference->text[who], "0123456789"), difference->text[who]);
        add_subject(&key, program, difference->step);
    } else if (difference
                   ->absurd) { /* a missing check of a size is one cause, whichever way the size is passed */
        add_words(&key, "absurd DMA of %c", 'A' + (int)difference->of);
    } else if (program->legacy) {
        add_words(&key, "legacy %s", agpu_cmp_what_name(difference->what));
        add_action(&key, program, difference->step);
    } else if (is_about_errors(program, difference)) {
        error_key(&key, program, difference);
    } else if (is_about_interrupts(program, difference)) {
        interrupt_key(&key, program, difference);
    } else if (difference->what == AGPU_CMP_SAW_MEMORY) {
        memory_key(&key, program, difference);
    } else if (difference->what == AGPU_CMP_SAW_COMPLETED) {
        fence_key(&key, program, difference);
    } else if (difference->what == AGPU_CMP_SAW_VALUE) {
        value_key(&key, program, difference);
    } else {
        add_words(&key, "%s", agpu_cmp_what_name(difference->what));
        add_direction(&key, difference->value[0], difference->value[1]);
    }
}

/* ---- more runs ---- */

static void append_steps(const struct agpu_gen_program *from, struct agpu_gen_program *to)
{
    for (uint32_t i = 0; i < from->step_count; i++) {
        const struct agpu_gen_step *step = &from->steps[i];
        struct agpu_gen_step *copy = agpu_gen_step_add(to, (enum agpu_gen_op)step->op);
        struct agpu_gen_step like = *step;

        like.bytes_at = copy->bytes_at;
        like.entries_at = copy->entries_at;
        like.patches_at = copy->patches_at;
        like.bytes = like.entries = like.patches = 0;
        *copy = like;
        if (step->bytes > 0) {
            memcpy(agpu_gen_bytes_add(to, step->bytes), from->bytes + step->bytes_at, step->bytes);
        }
        for (uint32_t n = 0; n < step->entries; n++) {
            agpu_gen_entry_add(to, &from->entries[step->entries_at + n]);
        }
        for (uint32_t n = 0; n < step->patches; n++) {
            agpu_gen_patch_add(to, &from->patches[step->patches_at + n]);
        }
    }
}

void agpu_cmp_prefill(const struct agpu_gen_program *from, uint32_t region, struct agpu_gen_program *to)
{
    struct agpu_gen_step *step;

    agpu_gen_program_clear(to);
    to->legacy = from->legacy;
    step = agpu_gen_step_add(to, AGPU_GEN_FILL);
    step->region = (uint8_t)region;
    step->value = PREFILL_BYTES;
    step->fence = PREFILL_SEED;
    append_steps(from, to);
}

/* Finds which device changed the first differing byte, in the step where it shows. */
static void find_writers(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                         struct agpu_cmp_difference *difference)
{
    struct agpu_cmp_difference here;
    struct agpu_gen_program filled = AGPU_CMP_PROGRAM;
    uint8_t before[2];

    agpu_cmp_prefill(program, difference->region, &filled);
    agpu_cmp_differ(pair, &filled, true, &here);
    if (!here.found || here.what != AGPU_CMP_SAW_MEMORY || here.bytes == 0) {
        here = *difference;
        agpu_gen_program_copy(&filled, program);
    }
    if (here.step > 0 && agpu_cmp_byte_before(pair, &filled, here.step, here.region, here.offset, before)) {
        for (int i = 0; i < 2; i++) {
            difference->wrote[i] = here.first[i][0] != before[i];
        }
    }
    agpu_cmp_program_free(&filled);
}

void agpu_cmp_find_cause(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                         struct agpu_cmp_difference *difference)
{
    struct agpu_gen_program longer = AGPU_CMP_PROGRAM;

    if (difference->died[0] || difference->died[1] || difference->absurd || program->legacy) {
        return;
    }
    if (difference->what == AGPU_CMP_SAW_MEMORY && difference->region < AGPU_GEN_RING &&
        difference->bytes > 0) {
        find_writers(pair, program, difference);
    } else if (!was_seen(difference, AGPU_CMP_SAW_IRQ_STATUS)) {
        agpu_gen_program_copy(&longer, program);
        agpu_gen_step_add(&longer, AGPU_GEN_COMPARE);
        agpu_cmp_see(pair, &longer, difference);
    }
    agpu_cmp_program_free(&longer);
}
