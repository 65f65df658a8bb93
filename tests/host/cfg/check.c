/* check.c: efi/config.c on the host. */
#include "tests/host/cfg/check.h"

#include <stdio.h>

#include "efi/config.h"

struct answer {
    const char *name;
    unsigned problems;
};

static void report_line(void *ctx, const struct agpu_config_problem *problem)
{
    struct answer *answer = ctx;

    answer->problems++;
    fprintf(stderr, "%s:%u: %s: %.*s\n", answer->name, problem->line, problem->reason,
            (int)problem->text.size, problem->text.at);
}

unsigned agpu_cfg_check(const char *name, const char *text, size_t size)
{
    static struct agpu_config config;
    struct answer answer = {.name = name};

    if (size > AGPU_CONFIG_FILE_MAX) {
        fprintf(stderr,
                "%s: expected at most %d bytes, which is what the image reads, found %zu: shorten it\n", name,
                AGPU_CONFIG_FILE_MAX, size);
        return 1;
    }
    agpu_config_defaults(&config);
    agpu_config_parse(&config, text, size, report_line, &answer);
    return answer.problems;
}
