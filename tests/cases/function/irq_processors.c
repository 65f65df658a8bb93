/* irq_processors.c: one processor submits and rings while another acknowledges (device.md 4.4). The acknowledging one
 * runs the kernel driver's interrupt service, and waits inside it until the submission has completed. */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/irq.h"
#include "tests/cases/rig/processors.h"
#include "tests/cases/rig/proof.h"

/* Place of the submission in the first pass of the service. */
enum meeting_place { AFTER_READING, AFTER_ACKNOWLEDGE };

static struct {
    struct agpu_test *test;
    enum meeting_place place;
    bool refused; /* the submission fails, and its fence does not interrupt */
    struct aerogpu_submit_desc submission;
    uint32_t reached; /* the service is at the place */
    uint32_t rung;    /* the other processor has rung the doorbell */
    enum agpu_status posted;
    bool met;
    struct agpu_kmd_interrupt served;
} meeting;

/* Runs on the other processor. */
static void submit_beside(void *arg)
{
    struct agpu_ring *ring = arg;

    if (agpu_word_wait(&meeting.reached, &meeting.reached)) {
        meeting.posted = agpu_ring_post_desc(ring, &meeting.submission);
        agpu_doorbell(ring);
    }
    agpu_word_set(&meeting.rung, 1);
}

/* Lets the other processor submit, and waits until the device has finished: its causes are then pending. */
static void meet_submitter(uint32_t pending)
{
    struct agpu_test *t = meeting.test;
    const uint32_t errors = meeting.refused ? agpu_error_count_before(t->env) : 0;

    agpu_word_set(&meeting.reached, 1);
    meeting.met = agpu_check(t, agpu_word_wait(&meeting.rung, &meeting.rung)) &&
                  agpu_check_ok(t, meeting.posted) &&
                  (meeting.refused
                       ? agpu_wait_error_count(t, errors + 1)
                       : agpu_check_ok(t, agpu_fence_wait(&t->env->ring, meeting.submission.signal_fence))) &&
                  agpu_check_irq(t, pending);
}

static uint32_t cause_of_submission(void)
{
    return meeting.refused ? AEROGPU_IRQ_ERROR : AEROGPU_IRQ_FENCE;
}

/* Stand in front of the machine's functions. */
static uint64_t read_and_meet(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size)
{
    const struct agpu_platform *machine = meeting.test->env->platform;
    const uint64_t value = machine->bar_read(ctx, function, bar, offset, size);

    if (meeting.place == AFTER_READING && offset == AEROGPU_MMIO_REG_IRQ_STATUS && meeting.reached == 0) {
        meet_submitter(AEROGPU_IRQ_FENCE | cause_of_submission());
    }
    return value;
}

static void write_and_meet(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size, uint64_t value)
{
    const struct agpu_platform *machine = meeting.test->env->platform;

    machine->bar_write(ctx, function, bar, offset, size, value);
    if (meeting.place == AFTER_ACKNOWLEDGE && offset == AEROGPU_MMIO_REG_IRQ_ACK && meeting.reached == 0) {
        meet_submitter(cause_of_submission());
    }
}

static void serve_interrupts(void *arg)
{
    struct agpu_env *env = meeting.test->env;
    struct agpu_platform machine = *env->platform;
    struct agpu_function function = env->function;
    struct agpu_kmd_adapter adapter = env->adapter;

    (void)arg;
    machine.bar_read = read_and_meet;
    machine.bar_write = write_and_meet;
    function.platform = &machine;
    adapter.function = &function;
    agpu_kmd_adapter_service_interrupt(&adapter, &meeting.served);
    agpu_word_set(&meeting.reached, 1); /* without an acknowledge the other processor still waits */
}

/* No fence and no cause of the other processor's submission must be lost. A driver that acknowledges more than it has
 * read loses the ERROR that came in between, and so does one that reads IRQ_STATUS again for the acknowledge. A driver
 * that does not read IRQ_STATUS afterwards leaves a cause pending, for which no further message comes. */
static void doorbell_against_acknowledge(struct agpu_test *t)
{
    static const struct {
        const char *name;
        enum meeting_place place;
        bool refused;
    } rows[] = {
        {"a fence before the acknowledge", AFTER_READING, false},
        {"an error before the acknowledge", AFTER_READING, true},
        {"a fence after the acknowledge", AFTER_ACKNOWLEDGE, false},
        {"an error after the acknowledge", AFTER_ACKNOWLEDGE, true},
    };
    struct agpu_rig *rig = agpu_rig_of(t);

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t causes = AEROGPU_IRQ_FENCE | (rows[i].refused ? AEROGPU_IRQ_ERROR : 0);

        agpu_part(t, "%s", rows[i].name);
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        meeting.test = t;
        meeting.place = rows[i].place;
        meeting.refused = rows[i].refused;
        rig->fence++;
        meeting.submission = rows[i].refused
                                 ? agpu_refused_desc(t, rig->fence, AEROGPU_SUBMIT_FLAG_NO_IRQ)
                                 : (struct aerogpu_submit_desc){.desc_size_bytes = sizeof meeting.submission,
                                                                .signal_fence = rig->fence};
        meeting.reached = meeting.rung = 0;
        meeting.met = false;
        agpu_return_unless(agpu_run_beside(t, submit_beside, serve_interrupts, &t->env->ring));
        agpu_return_unless(agpu_check(t, meeting.met));
        agpu_check_eq_hex(t, meeting.served.causes, causes);
        if (rows[i].refused) {
            agpu_check_eq_u64(t, meeting.served.fault.mmio_fence, rig->fence);
        }
        agpu_check_irq(t, 0);
        agpu_check_completed(t, rig->fence);
        agpu_check_page(t, rig->fence);
    }
}

static const struct agpu_case function_irq_processors_cases[] = {
    {.id = "irq.processors.doorbell_against_acknowledge",
     .spec = "device.md 4.4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_ERROR_INFO,
     .run = doorbell_against_acknowledge},
};

AGPU_CASE_TABLE(agpu_cases_function_irq_processors, function_irq_processors_cases);
