/* samples.c: sorts each sample on insertion, which is cheap for a hundred. */
#include "tests/cases/rig/samples.h"

#include <string.h>

#include "pci/machine/text.h"

#define LONGEST_NS UINT64_C(10000000)
#define SECOND_NS  UINT64_C(1000000000)

/* In the order of agpu_figure_part(): the first is the minimum, the last the number of samples. */
static const unsigned percents[AGPU_FIGURE_PARTS] = {0, 10, 50, 90, 99, 100, 0};

bool agpu_samples_go_on(struct agpu_test *test, struct agpu_samples *samples)
{
    const uint64_t now = test->platform->now_ns(test->platform->ctx);
    bool more;

    if (samples->count == 0) {
        samples->began_ns = now;
        samples->checks = test->checks;
        return true;
    }
    more = samples->count < AGPU_SAMPLES_MAX && now - samples->began_ns < LONGEST_NS;
    if (more) {
        agpu_check_drop(test, samples->checks);
    }
    return more;
}

void agpu_samples_add(struct agpu_samples *samples, uint64_t value)
{
    unsigned i = samples->count;

    if (i == AGPU_SAMPLES_MAX) {
        return;
    }
    for (; i > 0 && samples->sorted[i - 1] > value; i--) {
        samples->sorted[i] = samples->sorted[i - 1];
    }
    samples->sorted[i] = value;
    samples->sum += value;
    samples->count++;
}

uint64_t agpu_samples_percentile(const struct agpu_samples *samples, unsigned percent)
{
    const unsigned at = samples->count * percent / 100;

    if (samples->count == 0) {
        return 0;
    }
    return samples->sorted[at < samples->count ? at : samples->count - 1];
}

void agpu_samples_send(struct agpu_test *test, enum agpu_figure figure, const struct agpu_samples *samples)
{
    char name[AGPU_BUDGET_NAME_MAX + 1];

    for (unsigned part = 0; part < AGPU_FIGURE_PARTS && samples->count != 0; part++) {
        const bool last = part + 1 == AGPU_FIGURE_PARTS;

        agpu_format_line(name, sizeof name, "%s%s", agpu_figure_name(figure), agpu_figure_part(part));
        agpu_metric(test, name, last ? samples->count : agpu_samples_percentile(samples, percents[part]),
                    last ? "1" : agpu_figure_unit(figure));
    }
}

void agpu_figure_send(struct agpu_test *test, enum agpu_figure figure, uint64_t value)
{
    agpu_metric(test, agpu_figure_name(figure), value, agpu_figure_unit(figure));
}

void agpu_samples_send_rate(struct agpu_test *test, enum agpu_figure figure, enum agpu_figure rate,
                            const struct agpu_samples *samples, uint64_t units)
{
    const bool bytes = strcmp(agpu_figure_unit(rate), "MB/s") == 0;
    const uint64_t a_second = SECOND_NS * units;

    agpu_samples_send(test, figure, samples);
    if (samples->sum != 0) { /* with a clock that stood still there is no rate */
        agpu_figure_send(test, rate, (bytes ? a_second / 1000000 : a_second) * samples->count / samples->sum);
    }
}
