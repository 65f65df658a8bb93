/* rounds.c: runs several rounds of the catalogue, and checks that resource use does not grow. */
#include "tests/cases/harness/rounds.h"

#include "pci/machine/text.h"
#include "tests/cases/harness/order.h"
#include "tests/cases/harness/report.h"

/* Number of rounds until caches are full. */
#define WARM_UP 2u
/* Number of stored values of a gauge. When the history is full, every second value is removed, and from then on only
 * every second round is stored. */
#define HISTORY_MAX 512u
/* With fewer than three times this many stored values the result is SKIP: noise alone looks like growth. */
#define THIRD_MIN 2u

static const struct agpu_case nothing_grows = {.id = AGPU_ROUNDS_CASE, .spec = "tests/cases/README.md"};

struct round_history {
    uint64_t values[AGPU_GAUGES_MAX][HISTORY_MAX];
    struct agpu_gauge gauges[AGPU_GAUGES_MAX]; /* as read last */
    unsigned gauge_count;
    unsigned kept;
    unsigned every; /* number of rounds for each stored value */
    unsigned skipped;
};

static void forget_half(struct round_history *history)
{
    for (unsigned g = 0; g < history->gauge_count; g++) {
        for (unsigned i = 0; i < HISTORY_MAX / 2; i++) {
            history->values[g][i] = history->values[g][2 * i];
        }
    }
    history->kept = HISTORY_MAX / 2;
    history->every *= 2;
}

static void keep_gauges(struct round_history *history, unsigned round)
{
    if (round <= WARM_UP || ++history->skipped < history->every) {
        return;
    }
    history->skipped = 0;
    if (history->kept == HISTORY_MAX) {
        forget_half(history);
    }
    for (unsigned g = 0; g < history->gauge_count; g++) {
        history->values[g][history->kept] = history->gauges[g].value;
    }
    history->kept++;
}

static void send_gauge(struct agpu_stream *stream, const struct agpu_gauge *gauge)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_METRIC, NULL);
    agpu_record_string(&record, AGPU_KEY(METRIC, name), gauge->name);
    agpu_record_u64(&record, AGPU_KEY(METRIC, value), gauge->value);
    agpu_record_string(&record, AGPU_KEY(METRIC, unit), gauge->unit);
    agpu_stream_send(stream, &record);
}

static void read_gauges(struct round_history *history, const struct agpu_runner_config *config,
                        const struct agpu_rounds_config *rounds, unsigned round)
{
    if (rounds->gauges == NULL) {
        return;
    }
    history->gauge_count = rounds->gauges(rounds->gauges_ctx, history->gauges, AGPU_GAUGES_MAX);
    for (unsigned g = 0; g < history->gauge_count; g++) {
        send_gauge(config->stream, &history->gauges[g]);
    }
    keep_gauges(history, round);
}

/* Compares the lowest value of the last third with the highest of the first. */
static bool gauge_grew(const struct round_history *history, unsigned g, uint64_t *from, uint64_t *to)
{
    const unsigned third = history->kept / 3;
    const uint64_t *values = history->values[g];

    *from = 0;
    *to = UINT64_MAX;
    for (unsigned i = 0; i < third; i++) {
        const uint64_t late = values[history->kept - 1 - i];

        *from = values[i] > *from ? values[i] : *from;
        *to = late < *to ? late : *to;
    }
    return *to > *from && *to - *from > history->gauges[g].slack;
}

/* Appends what has grown; false if nothing has. */
static bool describe_growth(const struct round_history *history, struct agpu_text *why)
{
    uint64_t from, to;

    for (unsigned g = 0; g < history->gauge_count; g++) {
        if (!gauge_grew(history, g, &from, &to)) {
            continue;
        }
        agpu_format(why, "%s%s from at most %ju to at least %ju",
                    why->length == 0 ? "grew over the rounds: " : "; ", history->gauges[g].name, from, to);
    }
    return why->length != 0;
}

static void count_result(struct agpu_summary *sum, enum agpu_result result)
{
    sum->counts[result]++;
    sum->ended++;
    if (result != AGPU_SKIP) { /* too few rounds do not change the result of the run */
        sum->worst = agpu_result_worse(sum->worst, result);
    }
}

static void judge_rounds(const struct agpu_runner_config *config, const struct round_history *history,
                         struct agpu_summary *sum)
{
    char buffer[200];
    struct agpu_text why;
    enum agpu_result result;

    agpu_text_begin(&why, buffer, sizeof buffer);
    if (history->kept / 3 < THIRD_MIN) {
        result = AGPU_SKIP;
        agpu_text_string(&why, agpu_skip_text(AGPU_SKIP_FEW_ROUNDS));
    } else {
        result = describe_growth(history, &why) ? AGPU_FAIL : AGPU_PASS;
    }
    agpu_send_result(config, &nothing_grows, sum->planned, result, AGPU_SKIP_FEW_ROUNDS, buffer);
    count_result(sum, result);
}

static void add_round(struct agpu_summary *sum, const struct agpu_summary *round)
{
    sum->worst = agpu_result_worse(sum->worst, round->worst);
    for (unsigned i = 0; i < AGPU_RESULT_COUNT; i++) {
        sum->counts[i] += round->counts[i];
    }
    sum->ended += round->ended;
    sum->known += round->known;
    sum->stopped = round->stopped;
    sum->left = round->left;
    sum->skips = round->skips; /* the same in each round */
    sum->blocked = round->blocked > sum->blocked ? round->blocked : sum->blocked;
    sum->device_wrong = round->device_wrong;
    if (sum->first_cause == NULL) {
        sum->first_cause = round->first_cause;
    }
    sum->planned = round->planned + 1;
}

/* In turn: the default, values that cross 2^32 or 2^31 in the middle of a case, and a very large one. */
static uint64_t fence_of_round(unsigned round)
{
    switch (round % 4) {
    case 2:
        return UINT32_MAX - round % 37;
    case 3:
        return (UINT64_C(0x7F) << 32) + UINT32_MAX - round % 11;
    case 0:
        return (UINT64_C(1) << 31) - round % 23;
    default:
        return 0;
    }
}

static void log_round(const struct agpu_runner_config *config, const struct agpu_summary *round)
{
    agpu_stream_format(config->stream, AGPU_LOG_INFO, "round %u ended: %s, order %ju, fences after 0x%jx",
                       config->round.number, agpu_result_name(round->worst), config->round.shuffle,
                       config->round.first_fence);
}

static void run_rounds(struct agpu_runner_config *config, const struct agpu_rounds_config *rounds,
                       struct round_history *history, struct agpu_summary *sum)
{
    const struct agpu_platform *platform = config->platform;
    const uint64_t start = platform->now_ns(platform->ctx);
    struct agpu_summary round;

    do {
        config->round.number++;
        config->round.shuffle = rounds->shuffle == 0 || rounds->shuffle == AGPU_ORDER_REVERSED
                                    ? rounds->shuffle
                                    : rounds->shuffle + config->round.number;
        config->round.first_fence = fence_of_round(config->round.number);
        round = (struct agpu_summary){.worst = AGPU_ERROR}; /* the result of a run without memory */
        agpu_run(config, &round);
        add_round(sum, &round);
        log_round(config, &round);
        read_gauges(history, config, rounds, config->round.number);
        if (round.stopped || (round.worst == AGPU_ERROR && round.ended <= 1)) {
            break; /* as requested; or no device, no memory, nothing selected: it would recur */
        }
    } while (rounds->time_ns != 0 ? platform->now_ns(platform->ctx) - start < rounds->time_ns
                                  : rounds->count == 0 || config->round.number < rounds->count);
    judge_rounds(config, history, sum);
    sum->elapsed_us = (platform->now_ns(platform->ctx) - start) / 1000;
}

enum agpu_result agpu_run_rounds(const struct agpu_runner_config *config,
                                 const struct agpu_rounds_config *rounds, struct agpu_summary *out)
{
    const struct agpu_platform *platform = config->platform;
    struct agpu_runner_config each = *config;
    struct agpu_summary sum = {0};
    struct round_history *history;

    if (rounds->count <= 1 && rounds->time_ns == 0 && (!config->until_failure || rounds->count == 1)) {
        each.round.shuffle = rounds->shuffle;
        return agpu_run(&each, out);
    }
    history = platform->heap_alloc(platform->ctx, sizeof *history);
    if (history == NULL) {
        agpu_stream_log(config->stream, AGPU_LOG_ERROR, "no heap memory for more than one round");
        return AGPU_ERROR;
    }
    history->every = 1;
    run_rounds(&each, rounds, history, &sum);
    agpu_send_summary(config->stream, &sum);
    platform->heap_free(platform->ctx, history);
    if (out != NULL) {
        *out = sum;
    }
    return sum.worst;
}
