/* cost.c: a phase lasts until the next begins. */
#include "tests/cases/harness/cost.h"

void agpu_cost_begin(struct agpu_cost *cost, uint64_t accesses, uint64_t ns)
{
    *cost = (struct agpu_cost){.phase = AGPU_PHASE_UP, .from_accesses = accesses, .from_ns = ns};
}

void agpu_cost_enter(struct agpu_cost *cost, enum agpu_phase phase, uint64_t accesses, uint64_t ns)
{
    cost->accesses[cost->phase] += accesses - cost->from_accesses;
    cost->ns[cost->phase] += ns - cost->from_ns;
    cost->phase = phase;
    cost->from_accesses = accesses;
    cost->from_ns = ns;
}

void agpu_cost_add(struct agpu_cost *run, const struct agpu_cost *of_case)
{
    for (unsigned i = 0; i < AGPU_PHASE_COUNT; i++) {
        run->accesses[i] += of_case->accesses[i];
        run->ns[i] += of_case->ns[i];
    }
}

void agpu_cost_append(struct agpu_record *record, const struct agpu_cost *cost)
{
    static const char *const keys[] = {[AGPU_PHASE_UP] = AGPU_KEY(END, io_up),
                                       [AGPU_PHASE_BODY] = AGPU_KEY(END, io),
                                       [AGPU_PHASE_DOWN] = AGPU_KEY(END, io_down)};

    for (unsigned i = 0; i < AGPU_PHASE_COUNT; i++) {
        agpu_record_u64(record, keys[i], cost->accesses[i]);
    }
}

static void send_metric(struct agpu_stream *stream, const char *name, uint64_t value, const char *unit)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_METRIC, NULL);
    agpu_record_string(&record, AGPU_KEY(METRIC, name), name);
    agpu_record_u64(&record, AGPU_KEY(METRIC, value), value);
    agpu_record_string(&record, AGPU_KEY(METRIC, unit), unit);
    agpu_stream_send(stream, &record);
}

void agpu_cost_send(struct agpu_stream *stream, const struct agpu_cost *run)
{
    static const char *const accesses[] = {[AGPU_PHASE_UP] = "run.accesses.bring_up",
                                           [AGPU_PHASE_BODY] = "run.accesses.cases",
                                           [AGPU_PHASE_DOWN] = "run.accesses.take_down"};
    static const char *const times[] = {[AGPU_PHASE_UP] = "run.time.bring_up",
                                        [AGPU_PHASE_BODY] = "run.time.cases",
                                        [AGPU_PHASE_DOWN] = "run.time.take_down"};

    for (unsigned i = 0; i < AGPU_PHASE_COUNT; i++) {
        send_metric(stream, accesses[i], run->accesses[i], "accesses");
        send_metric(stream, times[i], run->ns[i] / 1000, "us");
    }
}
