/* samples.c: kept in order as they come: a hundred are cheap. */
#include "tests/cases/rig/samples.h"

#include "pci/machine/text.h"

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

static void send_one(struct agpu_test *test, const char *name, const char *which, uint64_t value,
                     const char *unit)
{
    char buffer[64];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, name);
    agpu_text_string(&text, which);
    agpu_metric(test, buffer, value, unit);
}

void agpu_samples_send(struct agpu_test *test, const char *name, const struct agpu_samples *samples,
                       const char *unit)
{
    static const struct {
        const char *name;
        unsigned percent;
    } which[] = {{"_p10", 10}, {"_p50", 50}, {"_p90", 90}, {"_p99", 99}, {"_max", 100}};

    for (size_t i = 0; i < sizeof which / sizeof which[0]; i++) {
        send_one(test, name, which[i].name, agpu_samples_percentile(samples, which[i].percent), unit);
    }
    send_one(test, name, "_count", samples->count, "1");
}
