/* session.c: carries out the steps of a program on device and reference. */
#include "tests/cases/explore/session.h"

#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "tests/cases/explore/fields.h"
#include "tests/cases/explore/meetings.h"
#include "tests/cases/explore/observe.h"
#include "tests/cases/random/world.h"

#define ARENA_BYTES ((size_t)8 << 20)
#define PAGE        0x1000u
/* Size of a region for resources: twice of what the generator uses, since each case has to clear it. */
#define DATA_BYTES (2 * AGPU_GEN_READ_BACK)
#define REGISTERS  0u
#define SIXTEENTHS 16u
/* Without simulated time each edge takes 17 ms: a session waits for this many. */
#define EDGES_MOST     4u
#define EDGES_ONCE     2u
#define EXACT_NS       UINT64_C(20000000)   /* completion on simulated time */
#define SLOW           3u                   /* a loaded machine may need this many times the usual bound */
#define SESSION_NS     UINT64_C(1000000000) /* simulated time of a session, without long stalls */
#define STALLS_MOST    2                    /* long ones of a case */
#define DECODE_DMA     (AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER)
#define NOTICES_ERRORS (AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)
#define GENERATED      (DECODE_DMA | AGPU_PCI_COMMAND_INTX_OFF)

/* ---- memory ---- */

static void *session_memory(void *ctx, uint32_t region, uint64_t offset, uint64_t size)
{
    struct agpu_explore *explore = ctx;
    const uint64_t bytes = region < AGPU_GEN_REGIONS ? explore->regions[region].size : 0;

    if (offset > bytes || size == 0 || size > bytes - offset || explore->range_count == AGPU_EXPLORE_RANGES) {
        return NULL;
    }
    explore->ranges[explore->range_count++] =
        (struct agpu_explore_range){region, (uint32_t)offset, (uint32_t)size};
    if (offset + size > explore->written[region]) {
        explore->written[region] = (uint32_t)(offset + size);
    }
    return (uint8_t *)explore->regions[region].cpu + offset;
}

static uint64_t session_address(void *ctx, uint32_t region, uint64_t offset)
{
    const struct agpu_explore *explore = ctx;

    return (region < AGPU_GEN_REGIONS ? explore->regions[region].device_address : 0) + offset;
}

/* Reads memory for the reference; what is not the session's reads as memory that does not exist. */
static bool session_read(void *ctx, uint64_t address, void *to, uint64_t size)
{
    const struct agpu_explore *explore = ctx;

    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        const uint64_t offset = address - explore->regions[region].device_address;

        if (offset < explore->regions[region].size && size <= explore->regions[region].size - offset) {
            memcpy(to, (const uint8_t *)explore->regions[region].cpu + offset, size);
            return true;
        }
    }
    return false;
}

static void clear_memory(struct agpu_explore *explore)
{
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        memset(explore->regions[region].cpu, 0, explore->written[region]);
        memset(explore->shadow[region], 0, explore->written[region]);
        explore->written[region] = PAGE;
    }
    explore->range_count = 0;
}

/* ---- accesses ---- */

/* On simulated time an edge that is due at a write comes after it (device.md 7). */
static void follow_before(struct agpu_explore *explore)
{
    if (!explore->exact) {
        agpu_explore_follow(explore);
    }
}

static void session_command(struct agpu_explore *explore, uint16_t command)
{
    follow_before(explore);
    explore->command = command;
    agpu_ref_command(explore->ref, command);
    agpu_ref_advance(explore->ref, agpu_explore_now(explore));
    agpu_command_write(explore->function, command);
    if (!explore->exact && agpu_explore_follow(explore)) {
        explore->over = true; /* the order of edge and write is unknown */
    }
}

/* Returns true for a doorbell that changes nothing: a device that handles it late would take work that is posted after
 * it. Our model handles it at once. */
static bool is_early_doorbell(const struct agpu_explore *explore, uint32_t offset)
{
    return offset / 4 == AEROGPU_MMIO_REG_DOORBELL / 4 && explore->any &&
           (!explore->work_posted || (explore->command & AGPU_PCI_COMMAND_MASTER) == 0 ||
            (agpu_explore_register(explore, AEROGPU_MMIO_REG_RING_CONTROL) & AEROGPU_RING_CONTROL_ENABLE) ==
                0);
}

static void session_write(struct agpu_explore *explore, uint32_t offset, uint32_t size, uint64_t value)
{
    const struct agpu_platform *platform = explore->platform;

    if (is_early_doorbell(explore, offset)) {
        return;
    }
    if (offset / 4 == AEROGPU_MMIO_REG_DOORBELL / 4 ||
        (offset == AEROGPU_MMIO_REG_RING_CONTROL && (value & AEROGPU_RING_CONTROL_RESET) != 0)) {
        explore->work_posted = false;
    }
    follow_before(explore);
    const bool counted = agpu_explore_counts_edges(explore); /* the write may end that */
    agpu_ref_write(explore->ref, agpu_explore_now(explore), offset, size, value);
    if (offset / 4 == AEROGPU_MMIO_REG_DOORBELL / 4 && !explore->ref->doorbell &&
        agpu_explore_register(explore, AEROGPU_MMIO_REG_RING_CONTROL) != 0) {
        explore->posting.since_doorbell = 0;
    }
    platform->bar_write(platform->ctx, &explore->function->found.ref, REGISTERS, offset, size, value);
    if (counted ? agpu_explore_new_edges(explore) != 0 : !explore->exact && agpu_explore_follow(explore)) {
        explore->over = true; /* the order of edge and write is unknown */
    }
}

static void session_write_address(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const uint64_t address = session_address(explore, step->region, step->value);

    if (step->size != 1) {
        session_write(explore, step->offset, 4, (uint32_t)address);
    }
    if (step->size != 4) {
        session_write(explore, step->offset + 4, 4, (uint32_t)(address >> 32));
    }
}

/* A reset sets the ring's head to the tail without any check of the address, which after a faulty step may be that of
 * foreign memory. Changes the head first, as a driver does, so that the reset's end can be seen (device.md 4.2). */
static void session_reset(struct agpu_explore *explore, uint64_t value)
{
    const uint64_t ring = agpu_explore_register(explore, AEROGPU_MMIO_REG_RING_GPA_LO) |
                          (uint64_t)agpu_explore_register(explore, AEROGPU_MMIO_REG_RING_GPA_HI) << 32;
    struct aerogpu_ring_header *header = session_memory(
        explore, AGPU_GEN_RING, ring - session_address(explore, AGPU_GEN_RING, 0), sizeof *header);

    if (header != NULL && header->head == header->tail) {
        header->head--;
    }
    agpu_explore_take_ranges(explore);
    if (header != NULL || ring == 0) {
        session_write(explore, AEROGPU_MMIO_REG_RING_CONTROL, 4, value);
    }
}

/* ---- steps ---- */

static void session_ring(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const uint64_t address = session_address(explore, AGPU_GEN_RING, step->offset);

    session_write(explore, AEROGPU_MMIO_REG_RING_CONTROL, 4, 0);
    agpu_gen_post_ring(&explore->posting, &explore->memory, step, false);
    explore->work_posted = false;
    agpu_explore_take_ranges(explore);
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_LO, 4, (uint32_t)address);
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_HI, 4, (uint32_t)(address >> 32));
    session_write(explore, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 4, explore->posting.bytes);
    session_write(explore, AEROGPU_MMIO_REG_RING_CONTROL, 4, AEROGPU_RING_CONTROL_ENABLE);
}

static void session_fill(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const bool pattern = step->op == AGPU_GEN_FILL;
    const uint64_t size = pattern ? step->value : step->bytes;
    uint8_t *place = session_memory(explore, step->region, step->offset, size);

    if (place != NULL && pattern) {
        agpu_gen_pattern(place, size, step->fence);
    } else if (place != NULL) {
        memcpy(place, explore->program->bytes + step->bytes_at, size);
    }
}

/* Lets simulated time pass. The reference handles each edge at its time, as the device does. */
static void pass_exact(struct agpu_explore *explore, uint64_t ns)
{
    const struct agpu_platform *platform = explore->platform;
    const uint64_t until = agpu_explore_now(explore) + ns;
    const uint64_t pace = agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) / 4 + 1;

    for (uint64_t now = agpu_explore_now(explore); now < until; now = agpu_explore_now(explore)) {
        agpu_ref_advance(explore->ref, now);
        agpu_wait_stall(platform, until - now < pace ? until - now : pace);
        platform->relax(platform->ctx, AGPU_RELAX_FENCE);
    }
}

/* Waits for whole periods, while the session may. */
static void pass_edges(struct agpu_explore *explore, uint64_t sixteenths)
{
    const uint64_t wanted = sixteenths / SIXTEENTHS < EDGES_ONCE ? sixteenths / SIXTEENTHS : EDGES_ONCE;
    const uint32_t left = explore->edges_left;
    struct agpu_wait wait;

    if (agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0 || left < wanted) {
        return;
    }
    agpu_wait_begin(&wait, explore->platform, AGPU_RELAX_VBLANK);
    while (left - explore->edges_left < wanted && agpu_wait_again(&wait)) {
        agpu_explore_follow(explore);
    }
}

static void session_advance(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const uint64_t period = agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);

    const uint64_t ns = (step->value * period + SIXTEENTHS - 1) / SIXTEENTHS;

    if (explore->exact && step->size == 1 &&
        (ns < SESSION_NS || (agpu_explore_register(explore, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0 &&
                             explore->stalls_left-- > 0))) {
        agpu_wait_stall(explore->platform, ns);
    } else if (explore->exact && step->size != 1 && ns <= explore->time_left_ns) {
        explore->time_left_ns -= ns;
        pass_exact(explore, ns);
    } else if (!explore->exact) {
        pass_edges(explore, step->value);
    }
}

static void session_step(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    switch ((enum agpu_gen_op)step->op) {
    case AGPU_GEN_REGISTER_WRITE:
        if (step->offset == AEROGPU_MMIO_REG_RING_CONTROL &&
            (step->value & AEROGPU_RING_CONTROL_RESET) != 0) {
            session_reset(explore, step->value);
        } else {
            session_write(explore, step->offset, step->size, step->value);
        }
        break;
    case AGPU_GEN_REGISTER_READ:
        agpu_explore_read(explore, step->offset, step->size);
        break;
    case AGPU_GEN_ADDRESS_WRITE:
        session_write_address(explore, step);
        break;
    case AGPU_GEN_CONFIG_WRITE: /* the machine owns the rest of configuration space */
        if (step->offset == AGPU_PCI_COMMAND && step->size == 2) {
            session_command(explore, (uint16_t)(step->value & GENERATED));
        }
        break;
    case AGPU_GEN_MEMORY:
    case AGPU_GEN_FILL:
        session_fill(explore, step);
        break;
    case AGPU_GEN_RING_SET:
        session_ring(explore, step);
        break;
    case AGPU_GEN_SUBMIT:
        if (explore->posting.count != 0) {
            agpu_gen_post(&explore->posting, &explore->memory, explore->program, step, false);
            explore->submissions++;
            explore->work_posted = true;
        }
        break;
    case AGPU_GEN_DOORBELL:
        session_write(explore, AEROGPU_MMIO_REG_DOORBELL, 4, step->flags != 0 ? step->flags : 1);
        break;
    case AGPU_GEN_ADVANCE:
        session_advance(explore, step);
        break;
    default: /* resets, power and messages belong to the machine; COMPARE is the observation after each step */
        break;
    }
    agpu_explore_take_ranges(explore);
}

/* ---- observations between steps ---- */

static void note_prediction(void *ctx, uint64_t address, const uint8_t *bytes, const uint8_t *states)
{
    struct agpu_explore *explore = ctx;

    explore->predicted = true;
    agpu_fields_note(explore, address, bytes, states);
}

/* The CPU must not write memory before the predictions about it are compared. */
static void observe_step(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const bool look = step->op == AGPU_GEN_COMPARE || (step->op == AGPU_GEN_ADVANCE && step->size != 1) ||
                      (step->op == AGPU_GEN_DOORBELL && step->size == 8);

    explore->unobserved =
        explore->unobserved || (step->op == AGPU_GEN_DOORBELL && step->size == AGPU_GEN_UNOBSERVED);
    if (explore->unobserved) {
        return;
    }
    agpu_ref_writes(explore->ref, explore, note_prediction);
    if (step->op == AGPU_GEN_DOORBELL) {
        agpu_fields_count(explore);
    }
    if (look) {
        agpu_explore_observe(explore, AGPU_EXPLORE_REGISTERS);
    } else if (explore->predicted || step->op == AGPU_GEN_DOORBELL) {
        agpu_explore_observe(explore, AGPU_EXPLORE_PREDICTED);
    }
    agpu_fields_compare(explore);
    if (explore->recorded != NULL && explore->program->steps[explore->step].op == AGPU_GEN_DOORBELL) {
        explore->recorded->steps[explore->step].value = agpu_explore_completed(explore);
    }
}

/* Observes the device before a step that is no access to it. */
static void end_unobserved(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const bool accesses =
        step->op <= AGPU_GEN_CONFIG_WRITE || step->op == AGPU_GEN_SUBMIT || step->op == AGPU_GEN_DOORBELL;

    if (explore->unobserved && !accesses) {
        explore->unobserved = false;
        agpu_explore_observe(explore, AGPU_EXPLORE_PREDICTED);
    }
}

/* After a stall, lets the device catch up at the time that the reference knows: a read completes no fence of an edge.
 * Compares what that wrote: after a second stall a comparison would wait, and the device would catch up later. */
static void serve_edges(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const bool passes = step->op == AGPU_GEN_COMPARE || step->op == AGPU_GEN_ADVANCE;

    if (explore->edge_due && (passes || step->op == AGPU_GEN_REGISTER_READ)) {
        session_write(explore, AEROGPU_MMIO_REG_IRQ_ACK, 4, 0);
        agpu_explore_observe(explore, AGPU_EXPLORE_PREDICTED);
    }
}

/* ---- sessions ---- */

/* Brings device and reference to the state after power-on: all registers zero, then a ring reset. */
static void session_start(struct agpu_explore *explore)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);
    const uint64_t ring = session_address(explore, AGPU_GEN_RING, 0);

    explore->over = explore->was_lost = explore->work_posted = explore->unobserved = false;
    explore->error_base = 0;
    explore->edges_left = EDGES_MOST;
    explore->time_left_ns = SESSION_NS;
    explore->virtual_ns = 1;
    explore->posting = (struct agpu_gen_posting){0};
    explore->edge_due = explore->objects = explore->effective = false;
    explore->unpredicted = 0;
    explore->table_entries = 0;
    memset(explore->retired, 0, sizeof explore->retired);
    agpu_ref_power_on(explore->ref);
    session_command(explore, DECODE_DMA);
    session_write(explore, AEROGPU_MMIO_REG_RING_CONTROL, 4, 0);
    for (size_t i = 0; i < count; i++) {
        if (registers[i].access == AEROGPU_REGISTER_RW &&
            (explore->features & registers[i].feature) == registers[i].feature) {
            session_write(explore, registers[i].offset, 4, 0);
        }
    }
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_LO, 4, (uint32_t)ring);
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_HI, 4, (uint32_t)(ring >> 32));
    session_reset(explore, AEROGPU_RING_CONTROL_RESET);
    agpu_explore_observe(explore, AGPU_EXPLORE_PREDICTED);
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_LO, 4, 0);
    session_write(explore, AEROGPU_MMIO_REG_RING_GPA_HI, 4, 0);
    clear_memory(explore);
    session_write(explore, AEROGPU_MMIO_REG_IRQ_ACK, 4, UINT32_MAX);
    explore->seq_base = (explore->features & AEROGPU_FEATURE_VBLANK) != 0
                            ? agpu_reg_read64(explore->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO)
                            : 0;
    explore->seq = explore->seq_base;
    if (!explore->mismatch.found) {
        agpu_explore_observe(explore, AGPU_EXPLORE_REGISTERS);
    }
}

/* Returns whether the time is up, with no work of the device in progress. */
static bool session_is_late(const struct agpu_explore *explore)
{
    const struct agpu_platform *platform = explore->platform;

    return explore->until_ns != UINT64_MAX && !explore->unobserved &&
           platform->now_ns(platform->ctx) > explore->until_ns;
}

static void session_observed(struct agpu_explore *explore, const struct agpu_gen_step *step, bool repeated)
{
    explore->worked++;
    end_unobserved(explore, step);
    serve_edges(explore, step);
    explore->repeated = repeated;
    if (!repeated) {
        agpu_meetings_count(explore, step);
    }
    session_step(explore, step);
    if (!explore->over && !explore->mismatch.found) {
        observe_step(explore, step);
        explore->over = explore->over || session_is_late(explore);
    }
}

static void session_repeat(struct agpu_explore *explore, const struct agpu_gen_step *step)
{
    const uint32_t count = step->size < explore->step ? step->size : explore->step;
    const struct agpu_gen_step *steps = step - count;
    uint32_t submissions = 0;

    for (uint32_t i = 0; i < count; i++) {
        submissions += steps[i].op == AGPU_GEN_SUBMIT;
    }
    for (uint64_t n = 0; n < step->value * count && !explore->mismatch.found && !explore->over; n++) {
        struct agpu_gen_step again = steps[n % count];

        again.fence += again.op == AGPU_GEN_SUBMIT ? (n / count + 1) * submissions : 0;
        if (again.op != AGPU_GEN_REPEAT) {
            session_observed(explore, &again, true);
        }
    }
}

bool agpu_explore_run(struct agpu_explore *explore, const struct agpu_gen_program *program)
{
    explore->program = program;
    explore->step = 0;
    session_start(explore);
    while (explore->step < program->step_count && !explore->mismatch.found && !explore->over) {
        const struct agpu_gen_step *step = &program->steps[explore->step];

        if (step->op == AGPU_GEN_REPEAT) {
            session_repeat(explore, step);
        } else {
            session_observed(explore, step, false);
        }
        explore->step++;
    }
    explore->steps += explore->step;
    if (!explore->mismatch.found && !explore->over) {
        agpu_explore_observe(explore, AGPU_EXPLORE_ALL);
    }
    explore->lost += explore->was_lost;
    explore->early += explore->over;
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS && (explore->over || explore->mismatch.found);
         region++) {
        explore->written[region] =
            (uint32_t)explore->regions[region].size; /* by work that was not compared */
    }
    return !explore->mismatch.found;
}

enum agpu_status agpu_explore_open(struct agpu_explore *explore, struct agpu_test *test,
                                   const struct agpu_ref_shader *shaders, uint32_t shader_count)
{
    const struct agpu_env *env = test->env;
    const struct agpu_platform *platform = env->platform;
    struct agpu_ref_config config = {
        .arena_bytes = ARENA_BYTES,
        .read = session_read,
        .packet = agpu_meetings_packet,
        .ctx = explore,
        .abi_version = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ABI_VERSION),
        .features = (uint32_t)env->abi.features,
        .any = !env->model,
        .shaders = shaders,
        .shader_count = shader_count,
    };
    enum agpu_status status = AGPU_OK;

    *explore = (struct agpu_explore){
        .test = test,
        .platform = platform,
        .function = &env->function,
        .features = env->abi.features,
        .any = !env->model,
        .lax = !env->model && (env->abi.features & NOTICES_ERRORS) != NOTICES_ERRORS,
        .exact = env->model && platform->test->simulated_time && platform->test->late_edges,
        .stalls_left = STALLS_MOST,
        .memory = {explore, session_memory, session_address},
    };
    explore->bound_ns = explore->exact ? EXACT_NS : SLOW * agpu_wait_bound_ns(platform, AGPU_RELAX_FENCE);
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS && status == AGPU_OK; region++) {
        const uint32_t size = region < AGPU_GEN_DATA_COUNT ? DATA_BYTES : agpu_gen_region_bytes(region);

        status =
            platform->dma_alloc(platform->ctx, &env->function.found.ref, size, &explore->regions[region]);
        explore->shadow[region] = platform->heap_alloc(platform->ctx, size);
        if (status == AGPU_OK && explore->shadow[region] == NULL) {
            status = AGPU_ERR_NO_MEMORY;
        }
        explore->written[region] = PAGE;
    }
    explore->arena = platform->heap_alloc(platform->ctx, ARENA_BYTES);
    config.arena = explore->arena;
    explore->ref = explore->arena != NULL ? agpu_ref_create(&config) : NULL;
    return status == AGPU_OK && explore->ref == NULL ? AGPU_ERR_NO_MEMORY : status;
}

void agpu_explore_close(struct agpu_explore *explore)
{
    const struct agpu_platform *platform = explore->platform;

    agpu_kmd_adapter_quiesce(&explore->test->env->adapter);
    for (uint32_t region = 0; region < AGPU_GEN_REGIONS; region++) {
        if (explore->regions[region].size != 0) {
            platform->dma_free(platform->ctx, &explore->regions[region]);
        }
        platform->heap_free(platform->ctx, explore->shadow[region]);
    }
    platform->heap_free(platform->ctx, explore->arena);
}
