/* judge.c: rules that every run must obey, whatever failed in it. */
#include "tests/inject/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/inject/injection.h"

static void problem(struct agpu_judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void problem(struct agpu_judge *judge, const char *format, ...)
{
    va_list arguments;

    if (judge->problem_count == AGPU_JUDGE_PROBLEMS_MAX) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(judge->problems[judge->problem_count++], sizeof judge->problems[0], format, arguments);
    va_end(arguments);
}

/* Returns the number after key in a record; 0 when key is missing. */
static unsigned number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at != NULL ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Checks a PASS that may depend on something that did not happen. */
static void check_pass(struct agpu_judge *judge, const char *id)
{
    const bool here = agpu_injection_what()[0] != '\0' && strcmp(agpu_injection_where(), id) == 0;

    if (here && !agpu_injection_is_harmless() && agpu_injection_may_be_survived()) {
        snprintf(judge->passed, sizeof judge->passed, "PASS of %s (%s)", id, agpu_injection_what());
    } else if (here && !agpu_injection_is_harmless()) {
        problem(judge, "wrong PASS of %s (%s)", id, agpu_injection_what());
    } else if (judge->gone_before && judge->needs_device(id)) {
        problem(judge, "wrong PASS of %s, which started without a device (%s)", id, agpu_injection_what());
    } else if (agpu_injection_unserved() > judge->unserved_before && !agpu_injection_is_harmless()) {
        problem(judge, "wrong PASS of %s, a doorbell of which was not served (%s)", id,
                agpu_injection_what());
    }
}

static void take_start(struct agpu_judge *judge, const char *id)
{
    if (judge->running[0] != '\0') {
        problem(judge, "%s has no end: %s starts", judge->running, id);
    }
    judge->started++;
    snprintf(judge->running, sizeof judge->running, "%s", id);
    judge->unserved_before = agpu_injection_unserved();
    judge->gone_before = agpu_injection_device_is_gone();
}

static void take_end(struct agpu_judge *judge, const char *id, const char *text)
{
    char name[16];
    const char *status = strstr(text, " status=");

    if (strcmp(id, judge->running) != 0) {
        problem(judge, "%s ends, but %s runs", id, judge->running[0] != '\0' ? judge->running : "nothing");
    }
    judge->ended++;
    if (status == NULL || sscanf(status, " status=%15[A-Z]", name) != 1) {
        problem(judge, "%s ends without a status", id);
        name[0] = '\0';
    }
    for (unsigned i = 0; i < AGPU_RESULT_COUNT; i++) {
        judge->counts[i] += strcmp(agpu_result_name((enum agpu_result)i), name) == 0;
    }
    if (strcmp(name, "PASS") == 0) {
        check_pass(judge, id);
    }
    judge->running[0] = '\0';
}

static void take_summary(struct agpu_judge *judge, const char *text)
{
    if (judge->summary_seen) {
        problem(judge, "a second summary");
    }
    judge->summary_seen = true;
    for (unsigned i = 0; i < AGPU_RESULT_COUNT; i++) {
        char key[20];

        snprintf(key, sizeof key, " %s=", agpu_result_count_key((enum agpu_result)i));
        if (number_of(text, key) != judge->counts[i]) {
            problem(judge, "the summary says%s%u, the ends say %u", key, number_of(text, key),
                    judge->counts[i]);
        }
    }
    if (number_of(text, " total=") != judge->planned) {
        problem(judge, "the summary has %u cases, the plan %u", number_of(text, " total="), judge->planned);
    }
}

void agpu_judge_packet(void *ctx, const char *packet, size_t length)
{
    struct agpu_judge *judge = ctx;
    const char *semicolon = memchr(packet, ';', length);
    char text[2200];
    char type[16];
    char id[100];

    if (semicolon == NULL) {
        problem(judge, "a packet without a record");
        return;
    }
    length -= (size_t)(semicolon + 1 - packet);
    snprintf(text, sizeof text, "%.*s", (int)length, semicolon + 1);
    if (sscanf(text, "%15s %99s", type, id) != 2) {
        problem(judge, "a record without a type and an id: %.80s", text);
    } else if (judge->summary_seen) {
        problem(judge, "a %s record after the summary", type);
    } else if (strcmp(type, "plan") == 0) {
        if (judge->plan_seen || judge->started != 0) {
            problem(judge, "a second or late plan");
        }
        judge->plan_seen = true;
        judge->planned = number_of(text, " count=");
    } else if (strcmp(type, "start") == 0) {
        take_start(judge, id);
    } else if (strcmp(type, "end") == 0) {
        take_end(judge, id, text);
    } else if (strcmp(type, "summary") == 0) {
        take_summary(judge, text);
    }
}

bool agpu_judge_conclude(struct agpu_judge *judge, enum agpu_result worst)
{
    const bool fired = agpu_injection_what()[0] != '\0';
    const bool good = worst == AGPU_PASS || worst == AGPU_SKIP;
    const bool cases_good = judge->counts[AGPU_PASS] + judge->counts[AGPU_SKIP] == judge->ended;

    if (!judge->plan_seen) {
        problem(judge, "no plan");
    }
    if (!judge->summary_seen) {
        problem(judge, "no summary");
    }
    if (judge->running[0] != '\0') {
        problem(judge, "%s has no end", judge->running);
    }
    if (judge->ended != judge->planned) {
        problem(judge, "%u cases ended, %u were planned", judge->ended, judge->planned);
    }
    /* The runner may notice an injection that no case does: it tries required features after the cases. */
    if (good != cases_good && !(fired && cases_good)) {
        problem(judge, "the result is %s, but not those of the cases", agpu_result_name(worst));
    }
    if (!fired && !good) { /* a case that this device skips counts as good */
        problem(judge, "nothing was injected, but the result is %s", agpu_result_name(worst));
    }
    if (fired && worst == AGPU_PASS && !agpu_injection_is_harmless() && judge->passed[0] == '\0') {
        problem(judge, "the result is %s (%s)", agpu_result_name(worst), agpu_injection_what());
    }
    return judge->problem_count == 0;
}
