/* run_model.h: what a run amounts to: its cases, their verdicts and evidence, however the records arrived. No
 * I/O. */
#ifndef AGPU_HOST_WIRE_RUN_MODEL_H
#define AGPU_HOST_WIRE_RUN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/skips.h"
#include "tests/host/wire/metrics.h"
#include "tests/host/wire/plan_record.h"
#include "tests/host/wire/record.h"
#include "tests/host/wire/verdict.h"

#define AGPU_CASES_MAX         65536
#define AGPU_DEVICES_OF_RUN    16
#define AGPU_CHECKS_PER_CASE   8    /* failed checks kept as evidence; more are counted */
#define AGPU_CHECKS_MAX        4096 /* kept over the whole run */
#define AGPU_PROBLEMS_MAX      64
#define AGPU_CHOICES_MAX       1024  /* kept over the whole run, each once */
#define AGPU_EVIDENCE_TEXT_MAX 1024  /* bytes of one text kept as evidence */
#define AGPU_RESTARTS_MAX      64    /* how often a machine may be started again */
#define AGPU_LOG_PER_CASE_MAX  32768 /* bytes of log lines kept for a case */
#define AGPU_RUN_MEMORY_MAX    (UINT64_C(256) << 20)

/* Why a run ended. */
enum agpu_ending {
#define ENDING(NAME, ...) AGPU_ENDING_##NAME,
#include "tests/host/wire/endings.def"
    AGPU_ENDING_COUNT
};

struct agpu_check {
    char *expr;
    char *file;
    char *expected; /* NULL when the check compares nothing */
    char *actual;
    char *note; /* NULL if none */
    uint64_t line;
};

struct agpu_counts {
    uint64_t by_verdict[AGPU_VERDICT_COUNT];
    uint64_t total;   /* cases with a verdict: the sum of the above */
    uint64_t not_run; /* planned, never started */
};

struct agpu_image_summary {
    bool seen;
    uint64_t us;
    enum agpu_verdict status;
    struct agpu_counts counts;
    uint64_t untried;          /* skips that are not acceptable; UINT64_MAX: it does not say */
    uint64_t left;             /* planned cases that this boot was told to leave */
    enum agpu_verdict earlier; /* the worst status of the summaries before it */
};

/* One of several devices of a run (tests/cases/harness/devices.h). */
struct agpu_run_device {
    char *name;   /* as its records say it: "00:04.0" */
    char *device; /* as its plan describes it; NULL: no plan arrived */
    struct agpu_run_plan plan;
    struct agpu_image_summary summary; /* of the current boot */
    enum agpu_verdict verdict;         /* once the run is concluded */
};

struct agpu_case_result {
    char *id;                             /* with several devices DEVICE/ID */
    size_t subject;                       /* where in it the case's own id begins */
    const struct agpu_run_device *device; /* NULL: the run has one only */
    uint64_t index;                       /* position in the plan from 1, 0 if its start was lost */
    uint64_t other_index;                 /* another that it had in the same plan; 0: none */
    uint32_t boot;
    bool started;
    bool ended;
    bool announced; /* the caller has shown its verdict */
    bool queued;    /* among those that agpu_run_finished() gives */
    struct agpu_case_result *next_finished;
    uint32_t first_boot; /* where the first of its records stands: the order of the run */
    uint64_t first_seq;
    uint64_t start_seq;
    uint64_t end_seq;
    uint64_t started_us; /* host time */
    uint64_t ended_us;
    uint64_t duration_us; /* by the image's clock; by the host's for a case that never ended */
    enum agpu_verdict verdict;
    char *reason;             /* NULL if none */
    enum agpu_skip_code skip; /* why it was skipped */
    bool skip_allowed;        /* a SKIP that is acceptable, once the run is concluded */
    char *blocked_by;         /* the broken basic thing because of which it was not tried; NULL if none */
    char *cause;              /* the one that it found broken itself */
    char *back_trace;         /* where it was when it was ended by force, a line a call; NULL if it was not */
    struct agpu_check *checks;
    size_t checks_kept;
    size_t checks_failed;
    char *log; /* texts of its log records, a line each, as they arrived; NULL if none */
    size_t log_size;
    enum agpu_quarantine_verdict quarantine; /* what the list of known failures says of it */
    uint64_t quarantine_until;               /* 20261231 */
    char *quarantine_reason;                 /* NULL if none */
    size_t log_left_out;                     /* records beyond AGPU_LOG_PER_CASE_MAX */
};

/* What the device does where the specification lists alternatives. */
struct agpu_device_choice {
    char *id; /* the case that found it out */
    char *name;
    char *value;
};

/* Lines of the agpu.cfg that this run's image got, malloc'd; NULL: it has no such line, or is not known. */
struct agpu_run_asked {
    char *require;
    char *expect;
    char *allow_skips;
};

/* The run ended in this boot, and went on in the next one behind the case that ran (agpu_run_resume). */
struct agpu_restart {
    uint32_t boot;
    enum agpu_ending ending;
    char *text;
    char *id; /* of the last case that had started */
};

struct agpu_run {
    struct agpu_case_result *
        *cases; /* as they were first heard of; in the order of the run once it is concluded */
    size_t case_count;
    size_t case_capacity;
    void *by_id;                           /* tsearch(3) tree of the same */
    struct agpu_case_result *last_started; /* in this boot; NULL: none */
    struct agpu_case_result *first_finished,
        *latest_finished; /* ended, and not yet looked at by the caller */
    size_t memory;        /* bytes that cases and texts take */
    size_t memory_max;    /* what they may; 0: AGPU_RUN_MEMORY_MAX */
    size_t checks_kept;
    bool plan_seen;
    uint64_t planned;          /* of all devices */
    struct agpu_run_plan plan; /* of a run with one device, which its records do not name */
    char *build;
    char *device; /* with several, all of them */
    struct agpu_run_device
        *devices[AGPU_DEVICES_OF_RUN]; /* when records say whose they are, in the order of their plans */
    size_t device_count;
    char *judged;      /* as what: "model" or "any"; NULL: an image that does not say */
    char *abi;         /* generation of the device, "1.4"; NULL when its description does not say */
    char *require;     /* what the device had to have; likewise */
    char *expect;      /* which ABI it had to have, a word of tests/cases/choice/expect.h; likewise */
    char *allow_skips; /* further skips that are acceptable (tests/cases/choice/skips.h); NULL: none */
    struct agpu_image_summary summary; /* of the current boot */
    uint32_t boot;
    struct agpu_restart *restarts; /* those that were wanted, in order */
    size_t restart_count;
    bool
        attended; /* somebody tells the image what to run, several times perhaps: each has a plan and a summary */
    bool repeated;           /* a case ran again in the same boot: several rounds */
    struct agpu_counts ends; /* end records, of all rounds */
    struct agpu_metrics metrics;
    struct agpu_device_choice *choices; /* in the order they were found out */
    size_t choice_count;
    char *problems[AGPU_PROBLEMS_MAX]; /* sentences, each once */
    size_t problem_count;
    char *device_fault; /* what the device did and no device may; NULL: nothing */
    uint64_t lost;      /* records that are nowhere, though their stream brings all */
    enum agpu_ending ending;
    char *ending_text;
    bool post_mortem; /* records that still arrive were on their way when the run ended */
    bool echo_seen;
    struct agpu_run_asked asked;              /* a plan with other words is an ERROR */
    const struct agpu_quarantine *quarantine; /* the caller's; NULL: what the image says alone */
    bool concluded;
    enum agpu_verdict verdict; /* once concluded */
};

void agpu_run_init(struct agpu_run *run);
void agpu_run_free(struct agpu_run *run);

/* Which of two cases of a run the image began with, from the first record that arrived of each: below, above, or 0 as for qsort(3). */
int agpu_case_order(const struct agpu_case_result *x, const struct agpu_case_result *y);

/* Takes one record, in any order within its boot, each once. boot counts up from 0. */
void agpu_run_record(struct agpu_run *run, const struct agpu_parsed_record *record, uint32_t boot,
                     uint64_t seq, uint64_t now_us);

/* What the offsets of a case's log record mean: lines, each with a newline. Part of its log, too. */
void agpu_run_back_trace(struct agpu_run *run, const struct agpu_parsed_record *record, const char *lines);

/* Begins another summary; the status of this one stays in earlier. */
void agpu_run_summary_begin(struct agpu_image_summary *summary);

/* A sentence for the report about the run as a whole; does not change the verdict. */
void agpu_run_problem(struct agpu_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the device did and no device may, whatever its cases say: a problem, and, unless the run ends otherwise, how it ended. The first
 * counts. */
void agpu_run_device_fault(struct agpu_run *run, const char *text);

/* The case that started last in this boot, or NULL. */
struct agpu_case_result *agpu_run_last_started(const struct agpu_run *run);

/* The case that ended longest ago of those that were not removed yet, NULL: none. It may have begun again since. */
struct agpu_case_result *agpu_run_finished(const struct agpu_run *run);
void agpu_run_remove_finished(struct agpu_run *run);
/* Puts a case that has ended among them. */
void agpu_run_add_finished(struct agpu_run *run, struct agpu_case_result *c);

/* The case that runs now, or NULL. */
struct agpu_case_result *agpu_run_current(const struct agpu_run *run);

#endif
