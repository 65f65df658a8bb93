/* lockstep.c: free runs of both devices, and what to do where their hashes part. */
#include "tests/host/compare/lockstep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/compare/cause.h"
#include "tests/host/compare/reduce.h"
#include "tests/host/monotonic.h"

#define REDUCE_SECONDS 10u
#define REDUCE_TRIES   4000u
#define NOTHING_NEW    5u /* differing sessions in a row without a new finding are enough */

struct search {
    struct agpu_cmp_pair *pair;
    struct agpu_cmp_difference wanted;
};

/* The same is seen, for work that is as valid as it was. */
static bool still_fails(void *ctx, const struct agpu_cmp_program *program)
{
    struct search *search = ctx;
    struct agpu_cmp_difference now;

    agpu_cmp_differ(search->pair, program, false, &now);
    return now.found && now.died[0] == search->wanted.died[0] && now.died[1] == search->wanted.died[1] &&
           now.absurd == search->wanted.absurd && now.of == search->wanted.of &&
           (now.died[0] || now.died[1] || now.what == search->wanted.what) &&
           (!now.errors || search->wanted.errors);
}

static uint32_t packets_of(const struct agpu_cmp_program *program)
{
    uint32_t submissions, packets;

    agpu_cmp_size(program, &submissions, &packets);
    return packets;
}

/* Packets that only made memory hold something are no part of a difference in what is not written: with memory that holds
 * something from the start fewer may do. */
static void shrink_further(struct agpu_cmp_reduction *reduction, struct agpu_cmp_program *program)
{
    const struct search *search = reduction->ctx;
    struct agpu_cmp_program filled = {0};
    struct agpu_cmp_difference here;

    agpu_cmp_differ(search->pair, program, true, &here);
    if (here.what == AGPU_CMP_SAW_MEMORY && here.bytes > 0 && here.region < AGPU_CMP_RING) {
        agpu_cmp_prefill(program, here.region, &filled);
        reduction->pinned = AGPU_CMP_PREFILLED;
        if (reduction->fails(reduction->ctx, &filled)) {
            agpu_cmp_reduce(reduction, &filled);
            reduction->pinned = 0;
            if (packets_of(&filled) < packets_of(program)) {
                agpu_cmp_reduce(reduction, &filled);
                agpu_cmp_program_copy(program, &filled);
            }
        }
    }
    agpu_cmp_program_free(&filled);
}

bool agpu_cmp_investigate(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program, bool reduce,
                          uint64_t seconds, struct agpu_cmp_finding *out)
{
    struct search search = {.pair = pair};
    struct agpu_cmp_reduction reduction = {
        .fails = still_fails,
        .ctx = &search,
        .most_tries = REDUCE_TRIES,
        .until_ns = agpu_monotonic_ns() + seconds * UINT64_C(1000000000),
    };

    agpu_cmp_differ(pair, program, false, &search.wanted);
    if (!search.wanted.found) {
        return false;
    }
    agpu_cmp_program_copy(&out->program, program);
    if (search.wanted.step + 1 < out->program.step_count) {
        out->program.step_count = search.wanted.step + 1; /* what comes later does not matter */
    }
    if (reduce) {
        agpu_cmp_reduce(&reduction, &out->program);
        shrink_further(&reduction, &out->program);
    }
    out->tries = reduction.tries;
    agpu_cmp_differ(pair, &out->program, true, &out->difference);
    if (!out->difference.found) { /* does not fail each time */
        agpu_cmp_program_copy(&out->program, program);
        out->difference = search.wanted;
    }
    agpu_cmp_look_closer(pair, &out->program, &out->difference);
    agpu_cmp_sentence(&out->program, &out->difference, out->sentence);
    agpu_cmp_signature(&out->program, &out->difference, out->signature);
    out->section = agpu_cmp_section(&out->program, &out->difference);
    return true;
}

static uint64_t weight_of(const struct agpu_cmp_finding *finding)
{
    return (uint64_t)packets_of(&finding->program) << 32 | finding->program.step_count;
}

void agpu_cmp_finding_merge(struct agpu_cmp_finding *into, struct agpu_cmp_finding *finding)
{
    const uint32_t times = into->times + finding->times;

    if (!finding->history && weight_of(finding) < weight_of(into)) {
        const uint64_t session = into->session;

        agpu_cmp_program_free(&into->program);
        *into = *finding;
        into->shown_in = finding->session;
        into->session = session;
    } else {
        agpu_cmp_program_free(&finding->program);
    }
    into->times = times;
    memset(finding, 0, sizeof *finding);
}

static void tell(const struct agpu_cmp_lockstep *lockstep, const char *line)
{
    if (lockstep->progress != NULL) {
        lockstep->progress(lockstep->progress_ctx, line);
    }
}

/* It does not show on new devices. */
static void say_history(const struct agpu_cmp_lockstep *lockstep, const struct agpu_cmp_record records[2],
                        struct agpu_cmp_finding *finding)
{
    finding->history = true;
    finding->section = "device.md 2";
    for (uint32_t i = 0; i < 2; i++) {
        if (records[i].absurd != 0 && !lockstep->pair->absurd_known[i]) {
            finding->difference.absurd = true;
            finding->difference.of = i;
            snprintf(finding->sentence, sizeof finding->sentence,
                     "%c: it asked for absurd DMA, more than 2^52 bytes at once, in session %" PRIu64
                     ", but only behind the sessions before it: expected none",
                     'A' + (int)i, finding->session);
            agpu_cmp_signature(&finding->program, &finding->difference, finding->signature);
            return;
        }
    }
    snprintf(finding->sentence, sizeof finding->sentence,
             "session %" PRIu64 " differs only behind the sessions before it, not on new devices: something "
             "outlives a reset of the function, or depends on time",
             finding->session);
    snprintf(finding->signature, sizeof finding->signature, "history");
}

/* A session that differs: is it a new difference? */
static bool add_finding(struct agpu_cmp_lockstep *lockstep, struct agpu_cmp_generator *generator,
                        const struct agpu_cmp_record records[2], uint64_t session)
{
    struct agpu_cmp_finding *finding = &lockstep->findings[lockstep->finding_count];
    struct agpu_cmp_program program = {0};
    char line[AGPU_CMP_TEXT + 128];

    memset(finding, 0, sizeof *finding);
    agpu_cmp_generate(generator, &lockstep->plan, session, &program);
    finding->session = finding->shown_in = session;
    finding->times = 1;
    if (!agpu_cmp_investigate(lockstep->pair, &program, lockstep->reduce, REDUCE_SECONDS, finding)) {
        agpu_cmp_program_copy(&finding->program, &program);
        say_history(lockstep, records, finding);
    }
    agpu_cmp_program_free(&program);
    lockstep->pair->absurd_known[finding->difference.of] |= finding->difference.absurd;
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        if (strcmp(lockstep->findings[i].signature, finding->signature) == 0) {
            agpu_cmp_finding_merge(&lockstep->findings[i], finding);
            return false;
        }
    }
    snprintf(line, sizeof line, "difference: %s (%s)", finding->sentence, finding->section);
    tell(lockstep, line);
    lockstep->finding_count++;
    return true;
}

/* Every session of such a device may ask for it. */
static void count_absurd(struct agpu_cmp_lockstep *lockstep, const struct agpu_cmp_record records[2])
{
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        const struct agpu_cmp_difference *difference = &lockstep->findings[i].difference;

        lockstep->findings[i].times += difference->absurd && records[difference->of].absurd != 0;
    }
}

/* Something that is not known. */
static bool is_different(const struct agpu_cmp_pair *pair, const struct agpu_cmp_record records[2])
{
    return records[0].hash != records[1].hash || (records[0].absurd != 0 && !pair->absurd_known[0]) ||
           (records[1].absurd != 0 && !pair->absurd_known[1]);
}

static bool is_over(const struct agpu_cmp_lockstep *lockstep, uint64_t began, uint32_t nothing_new)
{
    return lockstep->finding_count >= lockstep->most || nothing_new >= NOTHING_NEW ||
           (lockstep->seconds != 0 && agpu_monotonic_ns() - began > lockstep->seconds * UINT64_C(1000000000));
}

bool agpu_cmp_lockstep_run(struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT])
{
    struct agpu_cmp_side runners[2] = {0};
    struct agpu_cmp_generator *generator = agpu_cmp_generator_create();
    const uint64_t began = agpu_monotonic_ns();
    uint64_t session = lockstep->first_session;
    uint32_t nothing_new = 0;
    bool running = false, good = generator != NULL;

    for (int i = 0; i < 2; i++) {
        good =
            agpu_cmp_side_open(&runners[i], lockstep->pair->sides[i].spec, lockstep->pair->sides[i].hang_s) &&
            good;
        runners[i].draws = lockstep->pair->sides[i].draws;
        runners[i].shaped = lockstep->pair->sides[i].shaped;
        runners[i].shape = lockstep->pair->sides[i].shape;
    }
    if (!good) {
        snprintf(text, AGPU_CMP_TEXT, "no memory");
    }
    while (good && lockstep->ran < lockstep->streams &&
           !(lockstep->stopped = is_over(lockstep, began, nothing_new))) {
        struct agpu_cmp_record records[2] = {0};
        bool got[2];

        for (int i = 0; i < 2 && !running; i++) {
            agpu_cmp_free_start(&runners[i], &lockstep->plan, session, UINT64_MAX);
        }
        running = true;
        for (int i = 0; i < 2; i++) {
            got[i] = agpu_cmp_free_next(&runners[i], &records[i]);
        }
        if (!got[0] || !got[1]) { /* one is dead: at this session, or it was never there */
            for (int i = 0; i < 2; i++) {
                if (!got[i] && agpu_cmp_finish(&runners[i], text) == AGPU_CMP_NO_DEVICE) {
                    good = false;
                }
                agpu_cmp_stop(&runners[i]);
            }
            running = false;
        } else {
            lockstep->sessions++;
            lockstep->ran += records[0].streams;
            lockstep->refused += records[0].invalid;
            count_absurd(lockstep, records);
        }
        if (good && (!got[0] || !got[1] || is_different(lockstep->pair, records))) {
            lockstep->differing++;
            nothing_new = add_finding(lockstep, generator, records, session) ? 0 : nothing_new + 1;
        }
        session++;
    }
    for (int i = 0; i < 2; i++) {
        agpu_cmp_side_close(&runners[i]);
    }
    agpu_cmp_generator_destroy(generator);
    lockstep->busy_seconds += (double)(agpu_monotonic_ns() - began) * 1e-9;
    return good;
}

void agpu_cmp_lockstep_free(struct agpu_cmp_lockstep *lockstep)
{
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        agpu_cmp_program_free(&lockstep->findings[i].program);
    }
    lockstep->finding_count = 0;
}
