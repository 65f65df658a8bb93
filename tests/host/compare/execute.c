/* execute.c: converts steps to accesses, and looks at the device after them. */
#include "tests/host/compare/execute.h"

#include <string.h>
#include <time.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/random/post.h"
#include "tests/host/compare/board.h"
#include "tests/host/monotonic.h"

#define REGISTERS         0u
#define DEFAULT_PERIOD    16666667u
#define SIXTEENTHS        16u
#define DOUBT_NS          UINT64_C(20000000)   /* wait for a device without threads, once */
#define PATIENCE_NS       UINT64_C(2000000000) /* wait for a device with threads, each time */
#define SERVICE_ROUNDS    100000u
#define POWER_NS          UINT64_C(10000000)  /* around a change of power (device.md 2.2) */
#define RESET_NS          UINT64_C(100000000) /* after a reset */
#define SLEEPING          3u                  /* D3hot */
#define ALL_CAUSES        0xFFFFFFFFu
#define SHORT_NS          UINT64_C(1000000) /* time that a device may need to finish its work */
#define PAIR(machine, lo) (read32((machine), (lo)) | (uint64_t)read32((machine), (lo) + 4) << 32)

struct execution {
    struct agpu_cmp_machine *machine;
    const struct agpu_gen_common *common;
    const struct agpu_gen_program *program;
    struct agpu_cmp_trace *trace;
    struct agpu_gen_memory memory;
    struct agpu_gen_posting posting;
    uint32_t errors; /* ERROR_COUNT at the last observation */
    uint32_t grown;  /* number of looks in which it had grown */
    uint64_t first_seq;
    bool any_seq;
    bool all_valid; /* all submissions since the last observation are valid */
    bool no_fence;  /* one of them signals no fence: ERROR_FENCE cannot distinguish it from a ring fault */
    bool ring_code; /* ERROR_CODE is of a fault of the ring itself, which has a single code */
    uint32_t last_submit;
    uint32_t messages_at_ack; /* message count when all causes were acknowledged */
};

static uint32_t read32(struct agpu_cmp_machine *machine, uint32_t offset)
{
    return (uint32_t)vgpu_port_bar_read(machine->port, REGISTERS, offset, 4);
}

static void *place_of(void *machine, uint32_t region, uint64_t offset, uint64_t size)
{
    return agpu_cmp_memory_write(machine, region, offset, size);
}

static uint64_t address_of(void *machine, uint32_t region, uint64_t offset)
{
    (void)machine;
    return agpu_cmp_address(region, offset);
}

static void note(struct execution *run, enum agpu_cmp_what what, uint64_t value)
{
    struct agpu_cmp_trace *trace = run->trace;
    const __uint128_t product =
        (__uint128_t)(trace->hash ^ value) * (UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)what * 2);

    trace->hash = (uint64_t)product ^ (uint64_t)(product >> 64) ^ UINT64_C(0x2545F4914F6CDD1D);
    if (trace->count < trace->room) {
        trace->list[trace->count] =
            (struct agpu_cmp_observation){.step = trace->step, .what = what, .value = value};
    }
    trace->count++;
}

/* ---- letting the device work ---- */

static uint64_t completed(struct execution *run)
{
    return run->common->legacy ? read32(run->machine, AEROGPU_LEGACY_REG_FENCE_COMPLETED)
                               : PAIR(run->machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

/* Serves the device until it requests no more. Returns when it wants to be served next. */
static uint64_t serve(struct agpu_cmp_machine *machine)
{
    uint64_t next = AGPU_DEVICE_NEVER;

    for (uint32_t round = 0; round < SERVICE_ROUNDS; round++) {
        next = vgpu_port_service(machine->port);
        if (next > machine->now_ns && !vgpu_port_is_woken(machine->port)) {
            break;
        }
    }
    return next;
}

/* Gives a device with threads, or with work that takes time, both until the fence is complete, within limits. */
static void wait_for(struct execution *run, uint64_t fence)
{
    struct agpu_cmp_machine *machine = run->machine;
    const struct timespec pause = {.tv_nsec = 20000};
    uint64_t next = serve(machine), began, spent = 0;

    if (fence == 0 || completed(run) >= fence) {
        return;
    }
    while (next != AGPU_DEVICE_NEVER && next - machine->now_ns + spent < SHORT_NS && completed(run) < fence) {
        spent += next - machine->now_ns;
        machine->now_ns = next;
        next = serve(machine);
    }
    if (machine->doubted && !machine->threaded) {
        return;
    }
    began = agpu_monotonic_ns();
    while (completed(run) < fence) {
        if (agpu_monotonic_ns() - began > (machine->threaded && !machine->doubted ? PATIENCE_NS : DOUBT_NS)) {
            machine->doubted = true;
            break;
        }
        nanosleep(&pause, NULL);
        serve(machine);
    }
}

/* ---- looks ---- */

static void observe_errors(struct execution *run)
{
    struct agpu_cmp_machine *machine = run->machine;
    const struct agpu_gen_choices choices = run->common->choices;
    const uint32_t code = read32(machine, AEROGPU_MMIO_REG_ERROR_CODE);
    const uint32_t count = read32(machine, AEROGPU_MMIO_REG_ERROR_COUNT);
    const uint64_t fence = PAIR(machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO);

    if (count != run->errors) {
        run->grown++;
        if (count > run->errors && run->all_valid && run->trace->errors_at == 0) {
            run->trace->errors_at = run->last_submit + 1;
        }
        run->errors = count;
        run->ring_code = fence == 0 && !run->no_fence;
    }
    run->no_fence = false;
    if (agpu_gen_is_compared(choices, AGPU_GEN_CHOICE_ERROR_CODE) || run->ring_code) {
        note(run, AGPU_CMP_SAW_ERROR_CODE, code);
    } else {
        note(run, AGPU_CMP_SAW_ERROR_CODE,
             code >= AEROGPU_ERROR_CMD_DECODE && code <= AEROGPU_ERROR_BACKEND ? AEROGPU_ERROR_CMD_DECODE
                                                                               : code);
    }
    note(run, AGPU_CMP_SAW_ERROR_FENCE, fence);
    note(run, AGPU_CMP_SAW_ERROR_COUNT,
         agpu_gen_is_compared(choices, AGPU_GEN_CHOICE_ERROR_COUNT) ? count : run->grown);
}

static void observe_vblank(struct execution *run)
{
    struct agpu_cmp_machine *machine = run->machine;
    uint64_t seq = PAIR(machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
    uint64_t time = PAIR(machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);

    if (!agpu_gen_is_compared(run->common->choices, AGPU_GEN_CHOICE_VBLANK_PHASE)) {
        if (!run->any_seq) {
            run->any_seq = true;
            run->first_seq = seq;
        }
        /* The epoch is the device's choice. */
        time = 0;
        seq -= run->first_seq;
    }
    note(run, AGPU_CMP_SAW_VBLANK_SEQ, seq);
    note(run, AGPU_CMP_SAW_VBLANK_TIME, time);
}

/* The number of messages for several causes is the device's choice; whether it sends any is not. */
static void observe_messages(struct execution *run)
{
    const uint32_t messages = atomic_load_explicit(&run->machine->messages, memory_order_relaxed);
    const uint32_t others = atomic_load_explicit(&run->machine->others, memory_order_relaxed);
    const bool counted = agpu_gen_is_compared(run->common->choices, AGPU_GEN_CHOICE_MESSAGE_COUNT);

    note(run, AGPU_CMP_SAW_MESSAGES,
         (uint64_t)(others != 0) << 32 | (counted ? messages : messages != run->messages_at_ack));
    if (counted) {
        note(run, AGPU_CMP_SAW_PENDING, agpu_cmp_board_is_pending(run->machine));
    }
}

/* The page contains the version of the device, and any minor is valid (ring.md 5). */
static void hide_version(struct execution *run)
{
    struct agpu_cmp_machine *machine = run->machine;
    const uint32_t version = read32(machine, AEROGPU_MMIO_REG_ABI_VERSION);
    const uint64_t place = PAIR(machine, AEROGPU_MMIO_REG_FENCE_GPA_LO) -
                           agpu_cmp_address(AGPU_GEN_FENCE, 0) +
                           offsetof(struct aerogpu_fence_page, abi_version);
    uint32_t *shown;

    if (agpu_gen_is_compared(run->common->choices, AGPU_GEN_CHOICE_ABI_MINOR) || place % 4 != 0) {
        return;
    }
    shown = agpu_cmp_memory_write(machine, AGPU_GEN_FENCE, place, sizeof *shown);
    if (shown != NULL && *shown == version) {
        *shown = version & ~0xFFFFu;
    }
}

/* The legacy device has the same registers at these offsets (legacy.md 2). */
static void observe_all(struct execution *run, bool vblank)
{
    struct agpu_cmp_machine *machine = run->machine;

    if (run->common->legacy) {
        note(run, AGPU_CMP_SAW_COMPLETED, completed(run));
        note(run, AGPU_CMP_SAW_HEAD, read32(machine, AEROGPU_LEGACY_REG_RING_HEAD));
        note(run, AGPU_CMP_SAW_INT_STATUS, read32(machine, AEROGPU_LEGACY_REG_INT_STATUS));
        note(run, AGPU_CMP_SAW_IRQ_STATUS, read32(machine, AEROGPU_LEGACY_REG_IRQ_STATUS));
    } else {
        hide_version(run);
        note(run, AGPU_CMP_SAW_COMPLETED, completed(run));
        note(run, AGPU_CMP_SAW_IRQ_STATUS, read32(machine, AEROGPU_MMIO_REG_IRQ_STATUS));
        if ((run->common->features & AEROGPU_FEATURE_ERROR_INFO) != 0) {
            observe_errors(run);
        }
    }
    if (vblank && (run->common->features & AEROGPU_FEATURE_VBLANK) != 0) {
        observe_vblank(run);
    }
    note(run, AGPU_CMP_SAW_LINE, machine->line);
    if (machine->by_message) {
        observe_messages(run);
    }
    note(run, AGPU_CMP_SAW_MEMORY, agpu_cmp_memory_sum(machine));
}

/* ---- steps ---- */

static void write_register(struct execution *run, uint32_t offset, uint32_t size, uint64_t value)
{
    vgpu_port_bar_write(run->machine->port, REGISTERS, offset, size, value);
    serve(run->machine);
}

/* Notes an acknowledgement of all causes: no cause is pending then, so every device must send a message for the next
 * one. */
static void note_acknowledge(struct execution *run, const struct agpu_gen_step *step)
{
    if (step->offset == AEROGPU_MMIO_REG_IRQ_ACK && step->value == ALL_CAUSES && !run->common->legacy) {
        run->messages_at_ack = atomic_load_explicit(&run->machine->messages, memory_order_relaxed);
    }
}

static void write_address(struct execution *run, const struct agpu_gen_step *step)
{
    const uint64_t address = agpu_cmp_address(step->region, step->value);

    if (step->size != 1) {
        write_register(run, step->offset, 4, (uint32_t)address);
    }
    if (step->size != 4) {
        write_register(run, step->offset + 4, 4, (uint32_t)(address >> 32));
    }
}

static void write_memory(struct execution *run, const struct agpu_gen_step *step)
{
    void *place = agpu_cmp_memory_write(run->machine, step->region, step->offset, step->bytes);

    if (place != NULL) {
        memcpy(place, run->program->bytes + step->bytes_at, step->bytes);
    }
}

static void fill_memory(struct execution *run, const struct agpu_gen_step *step)
{
    uint8_t *place = agpu_cmp_memory_write(run->machine, step->region, step->offset, step->value);

    if (place != NULL) {
        agpu_gen_pattern(place, step->value, step->fence);
    }
}

static void advance(struct execution *run, uint64_t sixteenths, bool served)
{
    struct agpu_cmp_machine *machine = run->machine;
    const uint32_t stated = (run->common->features & AEROGPU_FEATURE_VBLANK) != 0
                                ? read32(machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS)
                                : 0;
    const uint64_t period = stated >= 1000000 && stated <= 100000000 ? stated : DEFAULT_PERIOD;
    const uint64_t until = machine->now_ns + (sixteenths * period + SIXTEENTHS - 1) / SIXTEENTHS;

    for (uint32_t round = 0; served && round < SERVICE_ROUNDS; round++) {
        const uint64_t next = serve(machine);

        if (next >= until) {
            break;
        }
        machine->now_ns = next > machine->now_ns ? next : machine->now_ns + 1;
    }
    machine->now_ns = until;
    if (served) {
        serve(machine);
    }
}

/* The state after each reset: the firmware has run, messages are disabled. */
static void begin_again(struct execution *run)
{
    run->machine->by_message = false;
    serve(run->machine);
    agpu_cmp_machine_firmware(run->machine);
    serve(run->machine);
    run->errors = 0;
}

static void reset_function(struct execution *run, bool by_express)
{
    if (by_express) {
        agpu_cmp_board_reset(run->machine);
        serve(run->machine);
        run->machine->now_ns += RESET_NS;
    } else {
        vgpu_port_reset(run->machine->port, AGPU_DEVICE_RESET_FUNCTION);
    }
    begin_again(run);
}

/* Requests the state, reads what answers in it, and returns to D0. */
static void change_power(struct execution *run, const struct agpu_gen_step *step)
{
    struct agpu_cmp_machine *machine = run->machine;
    const uint32_t state = agpu_cmp_board_power(machine, (uint32_t)step->value);

    serve(machine);
    machine->now_ns += step->value == SLEEPING ? POWER_NS : 0;
    /* Reads that no device answers return machine-dependent values, which are not compared. */
    note(run, AGPU_CMP_SAW_POWER,
         (uint64_t)state << 1 | (read32(machine, AEROGPU_MMIO_REG_MAGIC) == AEROGPU_MMIO_MAGIC));
    if (step->value == SLEEPING) { /* the device does not receive it */
        write_register(run, AEROGPU_MMIO_REG_CURSOR_X, 4, step->flags);
        note(run, AGPU_CMP_SAW_LINE, machine->line);
    }
    note(run, AGPU_CMP_SAW_POWER, agpu_cmp_board_power(machine, 0));
    serve(machine);
    machine->now_ns += step->value == SLEEPING ? POWER_NS : 0;
    if (step->value == SLEEPING && machine->shape != NULL && !machine->shape->keeps_state) {
        begin_again(run);
    }
    if ((run->common->features & AEROGPU_FEATURE_CURSOR) != 0) {
        note(run, AGPU_CMP_SAW_VALUE, read32(machine, AEROGPU_MMIO_REG_CURSOR_X));
    }
}

static void ring_doorbell(struct execution *run, const struct agpu_gen_step *step)
{
    agpu_cmp_memory_arm(run->machine);
    vgpu_port_bar_write(run->machine->port, REGISTERS,
                        run->common->legacy ? AEROGPU_LEGACY_REG_RING_DOORBELL : AEROGPU_MMIO_REG_DOORBELL, 4,
                        step->flags != 0 ? step->flags : 1);
    wait_for(run, step->value);
    if (run->posting.since_doorbell == 1) {
        note(run, AGPU_CMP_SAW_ORDER, run->machine->late_writes);
    }
    run->posting.since_doorbell = 0;
    observe_all(run, step->size == 8);
    run->all_valid |= step->value != 0; /* all posted work is done */
}

static void set_ring(struct execution *run, const struct agpu_gen_step *step)
{
    const uint64_t address = agpu_cmp_address(AGPU_GEN_RING, step->offset);

    if (run->common->legacy) {
        agpu_gen_post_ring(&run->posting, &run->memory, step, true);
        write_register(run, AEROGPU_LEGACY_REG_RING_BASE_LO, 4, (uint32_t)address);
        write_register(run, AEROGPU_LEGACY_REG_RING_BASE_HI, 4, (uint32_t)(address >> 32));
        write_register(run, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 4, step->value);
        return;
    }
    write_register(run, AEROGPU_MMIO_REG_RING_CONTROL, 4, 0);
    agpu_gen_post_ring(&run->posting, &run->memory, step, false);
    write_register(run, AEROGPU_MMIO_REG_RING_GPA_LO, 4, (uint32_t)address);
    write_register(run, AEROGPU_MMIO_REG_RING_GPA_HI, 4, (uint32_t)(address >> 32));
    write_register(run, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 4, run->posting.bytes);
    write_register(run, AEROGPU_MMIO_REG_RING_CONTROL, 4, AEROGPU_RING_CONTROL_ENABLE);
}

static void submit(struct execution *run, const struct agpu_gen_step *step)
{
    const uint32_t tail = agpu_gen_post(&run->posting, &run->memory, run->program, step, run->common->legacy);

    if (run->common->legacy) {
        vgpu_port_bar_write(run->machine->port, REGISTERS, AEROGPU_LEGACY_REG_RING_TAIL, 4, tail);
    }
    run->trace->streams++;
    run->all_valid &= !step->invalid;
    run->no_fence |= step->fence == 0;
    run->last_submit = run->trace->step;
}

static void do_step(struct execution *run, const struct agpu_gen_step *step)
{
    struct agpu_cmp_machine *machine = run->machine;

    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        write_register(run, step->offset, step->size, step->value);
        note_acknowledge(run, step);
        note(run, AGPU_CMP_SAW_LINE, machine->line);
        break;
    case AGPU_GEN_REGISTER_READ:
        note(run, AGPU_CMP_SAW_VALUE, vgpu_port_bar_read(machine->port, REGISTERS, step->offset, step->size));
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        write_address(run, step);
        break;
    case AGPU_GEN_CONFIG_WRITE:
        vgpu_port_config_write(machine->port, step->offset, step->size, (uint32_t)step->value);
        serve(machine);
        note(run, AGPU_CMP_SAW_LINE, machine->line);
        break;
    case AGPU_GEN_CONFIG_READ:
        note(run, AGPU_CMP_SAW_VALUE, vgpu_port_config_read(machine->port, step->offset, step->size));
        break;
    case AGPU_GEN_APERTURE_WRITE:
        agpu_cmp_bar1_write(machine, step->value % run->common->bar1_bytes, step->size, step->fence);
        break;
    case AGPU_GEN_APERTURE_READ:
        note(run, AGPU_CMP_SAW_VALUE,
             agpu_cmp_bar1_read(machine, step->value % run->common->bar1_bytes, step->size));
        break;
    case AGPU_GEN_MEMORY:
        write_memory(run, step);
        break;
    case AGPU_GEN_FILL:
        fill_memory(run, step);
        break;
    case AGPU_GEN_RING_SET:
        set_ring(run, step);
        break;
    case AGPU_GEN_SUBMIT:
        submit(run, step);
        break;
    case AGPU_GEN_DOORBELL:
        ring_doorbell(run, step);
        break;
    case AGPU_GEN_ADVANCE:
        advance(run, step->value, step->size != 1);
        if (step->size != 1) {
            observe_all(run, true);
        }
        break;
    case AGPU_GEN_RESET:
        reset_function(run, step->size == 1);
        observe_all(run, false);
        break;
    case AGPU_GEN_POWER:
        change_power(run, step);
        break;
    case AGPU_GEN_MESSAGES:
        note(run, AGPU_CMP_SAW_VALUE, agpu_cmp_board_messages(machine, (enum agpu_gen_way)step->value));
        serve(machine);
        break;
    case AGPU_GEN_REPEAT: /* in no plan of a comparison */
        break;
    case AGPU_GEN_COMPARE:
    case AGPU_GEN_OPS:
        observe_all(run, false);
        break;
    }
}

void agpu_cmp_execute(struct agpu_cmp_machine *machine, const struct agpu_gen_common *common,
                      const struct agpu_gen_program *program, uint32_t up_to, struct agpu_cmp_trace *trace)
{
    struct execution run = {.machine = machine,
                            .common = common,
                            .program = program,
                            .trace = trace,
                            .memory = {machine, place_of, address_of},
                            .all_valid = true};
    const uint64_t absurd = vgpu_port_absurd_dma(machine->port);

    agpu_cmp_memory_clear(machine);
    machine->by_message = false;
    machine->messages = machine->others = 0;
    vgpu_port_reset(machine->port, AGPU_DEVICE_RESET_FUNCTION);
    serve(machine);
    agpu_cmp_machine_firmware(machine);
    serve(machine);
    for (uint32_t i = 0; i < program->step_count && i < up_to; i++) {
        trace->step = i;
        do_step(&run, &program->steps[i]);
        if (trace->absurd_at == 0 && vgpu_port_absurd_dma(machine->port) != absurd) {
            trace->absurd_at = i + 1;
        }
    }
}

static const struct {
    const char *name, *section;
} saws[AGPU_CMP_SAWS] = {
    [AGPU_CMP_SAW_VALUE] = {"the value read", "device.md 4"},
    [AGPU_CMP_SAW_COMPLETED] = {"COMPLETED_FENCE", "ring.md 4"},
    [AGPU_CMP_SAW_IRQ_STATUS] = {"IRQ_STATUS", "device.md 4.4"},
    [AGPU_CMP_SAW_INT_STATUS] = {"INT_STATUS", "legacy.md 2"},
    [AGPU_CMP_SAW_ERROR_CODE] = {"ERROR_CODE", "device.md 4.6"},
    [AGPU_CMP_SAW_ERROR_FENCE] = {"ERROR_FENCE", "device.md 4.6"},
    [AGPU_CMP_SAW_ERROR_COUNT] = {"ERROR_COUNT", "device.md 4.6"},
    [AGPU_CMP_SAW_LINE] = {"the interrupt line", "device.md 4.4"},
    [AGPU_CMP_SAW_HEAD] = {"RING_HEAD", "legacy.md 3"},
    [AGPU_CMP_SAW_VBLANK_SEQ] = {"VBLANK_SEQ", "device.md 4.7"},
    [AGPU_CMP_SAW_VBLANK_TIME] = {"VBLANK_TIME", "device.md 4.7"},
    [AGPU_CMP_SAW_ORDER] = {"data written after their fence", "ring.md 9"},
    [AGPU_CMP_SAW_MESSAGES] = {"the number of messages", "device.md 4.4"},
    [AGPU_CMP_SAW_PENDING] = {"the pending bit of MSI-X", "device.md 4.4"},
    [AGPU_CMP_SAW_POWER] = {"the power state, or what answers in it,", "device.md 2.2"},
    [AGPU_CMP_SAW_MEMORY] = {"guest memory", "ring.md 9"},
};

const char *agpu_cmp_what_name(enum agpu_cmp_what what)
{
    return (unsigned)what < AGPU_CMP_SAWS ? saws[what].name : "?";
}

const char *agpu_cmp_what_section(enum agpu_cmp_what what)
{
    return (unsigned)what < AGPU_CMP_SAWS ? saws[what].section : "?";
}
