/* run_model.h: the state of a run: its cases, their verdicts and evidence, independent of how the records arrived.
 * No I/O. */
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
#define AGPU_CHECKS_PER_CASE   8    /* failed checks stored as evidence; more are counted */
#define AGPU_CHECKS_MAX        4096 /* stored for the whole run */
#define AGPU_PROBLEMS_MAX      64
#define AGPU_CHOICES_MAX       1024  /* stored for the whole run, each once */
#define AGPU_EVIDENCE_TEXT_MAX 1024  /* bytes of one text stored as evidence */
#define AGPU_RESTARTS_MAX      64    /* limit for restarts of the machine */
#define AGPU_LOG_PER_CASE_MAX  32768 /* bytes of log lines stored for a case */
#define AGPU_RUN_MEMORY_MAX    (UINT64_C(256) << 20)

/* Reason why a run ended. */
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
    uint64_t blocked; /* of the skipped: because a prerequisite is broken */
};

struct agpu_image_summary {
    bool seen;
    uint64_t us;
    enum agpu_verdict status;
    struct agpu_counts counts;
    uint64_t untried;          /* skips that are not acceptable; UINT64_MAX: not reported */
    uint64_t left;             /* planned cases that this boot was configured not to run */
    enum agpu_verdict earlier; /* the worst status of earlier summaries */
};

/* One of several devices of a run (tests/cases/harness/devices.h). */
struct agpu_run_device {
    char *name;   /* as in its records: "00:04.0" */
    char *device; /* as described by its plan; NULL: no plan arrived */
    struct agpu_run_plan plan;
    struct agpu_image_summary summary; /* summary in the current boot */
    enum agpu_verdict verdict;         /* valid once the run is concluded */
};

struct agpu_case_result {
    char *id;                             /* DEVICE/ID with several devices */
    size_t subject;                       /* offset of the case's own id in it */
    const struct agpu_run_device *device; /* NULL: the run has only one device */
    uint64_t index;                       /* position in the plan from 1, 0 if its start was lost */
    uint64_t other_index;                 /* a second index in the same plan; 0: none */
    uint32_t boot;
    bool started;
    bool ended;
    bool announced; /* the caller has displayed its verdict */
    bool queued;    /* in the list of agpu_run_finished() */
    struct agpu_case_result *next_finished;
    uint32_t first_boot; /* boot and number of its first record: defines the order of the run */
    uint64_t first_seq;
    uint64_t start_seq;
    uint64_t end_seq;
    uint64_t started_us; /* host time */
    uint64_t ended_us;
    uint64_t duration_us; /* by the image's clock; by the host's for a case that never ended */
    enum agpu_verdict verdict;
    char *reason;             /* NULL if none */
    enum agpu_skip_code skip; /* reason code of a SKIP */
    bool skip_allowed;        /* the SKIP is acceptable; valid once the run is concluded */
    char *blocked_by;         /* the broken prerequisite because of which it was skipped; NULL if none */
    char *cause;              /* the broken prerequisite that this case itself found */
    char *back_trace; /* call stack when it was ended by force, one line per call; NULL if it was not */
    struct agpu_check *checks;
    size_t checks_kept;
    size_t checks_failed;
    char *log; /* texts of its log records, one line each, in order of arrival; NULL if none */
    size_t log_size;
    enum agpu_quarantine_verdict quarantine; /* verdict by the list of known failures */
    uint64_t quarantine_until;               /* 20261231 */
    char *quarantine_reason;                 /* NULL if none */
    size_t log_left_out;                     /* records beyond AGPU_LOG_PER_CASE_MAX */
};

/* The device's behaviour where the specification allows alternatives. */
struct agpu_device_choice {
    char *id; /* the case that determined it */
    char *name;
    char *value;
};

/* Lines of the agpu.cfg for this run's image, malloc'd; NULL: no such line, or not known. */
struct agpu_run_asked {
    char *require;
    char *expect;
    char *allow_skips;
};

/* The run ended in this boot and continued in the next one, after the case that ran (agpu_run_resume()). */
struct agpu_restart {
    uint32_t boot;
    enum agpu_ending ending;
    char *text;
    char *id; /* the last case that had started */
};

struct agpu_run {
    struct agpu_case_result *
        *cases; /* in order of their first record; in the order of the run once it is concluded */
    size_t case_count;
    size_t case_capacity;
    void *by_id;                                               /* tsearch(3) tree of the same cases */
    struct agpu_case_result *last_started;                     /* in this boot; NULL: none */
    struct agpu_case_result *first_finished, *latest_finished; /* ended, and not yet removed by the caller */
    size_t memory;                                             /* bytes used by cases and texts */
    size_t memory_max;                                         /* limit for memory; 0: AGPU_RUN_MEMORY_MAX */
    size_t checks_kept;
    bool plan_seen;
    uint64_t planned;          /* for all devices */
    struct agpu_run_plan plan; /* plan of a run with one device, whose records do not name it */
    char *build;
    char *device; /* description; with several devices, of all */
    struct agpu_run_device
        *devices[AGPU_DEVICES_OF_RUN]; /* if the records name their device; in the order of their plans */
    size_t device_count;
    char *judged;      /* expectations: "model" or "any"; NULL: the image does not report it */
    char *abi;         /* generation of the device, "1.4"; NULL: not in its description */
    char *require;     /* features that the device must have; NULL: not reported */
    char *expect;      /* required ABI, a word of tests/cases/choice/expect.h; NULL: not reported */
    char *allow_skips; /* further acceptable skips (tests/cases/choice/skips.h); NULL: none */
    struct agpu_image_summary summary; /* summary in the current boot */
    uint32_t boot;
    struct agpu_restart *restarts; /* the requested restarts, in order */
    size_t restart_count;
    /* A person selects cases at the image, perhaps several times: each selection has a plan and a summary. */
    bool attended;
    bool repeated;           /* a case ran again in the same boot: several rounds */
    struct agpu_counts ends; /* end records, of all rounds */
    struct agpu_metrics metrics;
    struct agpu_device_choice *choices; /* in the order in which they were determined */
    size_t choice_count;
    char *problems[AGPU_PROBLEMS_MAX]; /* sentences, without duplicates */
    size_t problem_count;
    char *device_fault; /* a violation that no device may commit; NULL: none */
    uint64_t lost;      /* records missing from a stream that should deliver all */
    enum agpu_ending ending;
    char *ending_text;
    bool post_mortem; /* records that still arrive were sent before the run ended */
    bool echo_seen;
    struct agpu_run_asked asked;              /* a plan that differs from it is an ERROR */
    const struct agpu_quarantine *quarantine; /* the caller's; NULL: only what the image reports */
    bool concluded;
    enum agpu_verdict verdict; /* valid once concluded */
};

void agpu_run_init(struct agpu_run *run);
void agpu_run_free(struct agpu_run *run);

/* Orders two cases of a run by which the image started first, from the first record of each. Returns as for
 * qsort(3). */
int agpu_case_order(const struct agpu_case_result *x, const struct agpu_case_result *y);

/* Takes one record, in any order within its boot, each once. boot starts at 0. */
void agpu_run_record(struct agpu_run *run, const struct agpu_parsed_record *record, uint32_t boot,
                     uint64_t seq, uint64_t now_us);

/* Adds the symbolized form of the offsets in a case's log record: lines, each with a newline. They are appended to
 * its log, too. */
void agpu_run_back_trace(struct agpu_run *run, const struct agpu_parsed_record *record, const char *lines);

/* Starts another summary; earlier keeps the worst status so far. */
void agpu_run_summary_begin(struct agpu_image_summary *summary);

/* Adds a sentence about the run as a whole to the report; does not change the verdict. */
void agpu_run_problem(struct agpu_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Records a violation that no device may commit, whatever the cases report: it is a problem, and, unless the run
 * ends otherwise, the ending of the run. Only the first counts. */
void agpu_run_device_fault(struct agpu_run *run, const char *text);

/* Returns the case that started last in this boot, or NULL. */
struct agpu_case_result *agpu_run_last_started(const struct agpu_run *run);

/* Returns the case that ended first among those not removed yet, NULL: none. It may have started again since. */
struct agpu_case_result *agpu_run_finished(const struct agpu_run *run);
void agpu_run_remove_finished(struct agpu_run *run);
/* Adds a case that has ended to that list. */
void agpu_run_add_finished(struct agpu_run *run, struct agpu_case_result *c);

/* Returns the running case, or NULL. */
struct agpu_case_result *agpu_run_current(const struct agpu_run *run);

#endif
