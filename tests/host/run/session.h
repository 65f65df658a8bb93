/* session.h: the collection of one machine's run: its collector, its result folder, and the terminal display. */
#ifndef AGPU_HOST_RUN_SESSION_H
#define AGPU_HOST_RUN_SESSION_H

#include "tests/host/report/artifacts.h"
#include "tests/host/report/disk.h"
#include "tests/host/output_file.h"
#include "tests/host/report/progress.h"
#include "tests/host/report/results_file.h"
#include "tests/host/report/pieces.h"
#include "tests/host/report/streamed_capture.h"
#include "tests/host/wire/collector.h"
#include "tests/host/wire/intake.h"

struct agpu_session {
    char folder[4096];
    int below;                       /* the folder's descriptor: all files of the run are created below it */
    int lock;                        /* lock on the folder */
    struct agpu_artifact_list files; /* files in the folder, once the run is finished */
    struct agpu_collector *collector;
    struct agpu_results_file results;
    struct agpu_artifacts artifacts;
    uint64_t files_before; /* artifacts.files before the current piece */
    struct agpu_pieces pieces;
    struct agpu_streamed_capture capture;
    struct agpu_log_file netconsole;
    struct agpu_log_file console;
    enum agpu_source
        console_of; /* the source shown in console.log: the serial port, unless the caller sets another */
    struct agpu_live progress;
    struct agpu_report report; /* the caller adds to its environment before agpu_session_finish() */
    uint64_t start_us;
    uint64_t failed_checks; /* records of failed checks that arrived */
    char symbols[4096];     /* agpu.debug, for symbols in back traces; "": none */
    unsigned traces;        /* symbolized so far */
    size_t problems_shown;
    bool stuck;             /* records cannot be written to disk */
    struct agpu_disk *disk; /* shared limit, owned by the caller; NULL (the initial value): no limit */
};

/* Host time in microseconds: CLOCK_MONOTONIC. */
uint64_t agpu_now_us(void);

/* Creates the folder, locks it, and opens its files; removes the reports of an earlier run, so that they are not
 * mistaken for this run's. Fills in config->output. Returns false with a line on stderr. prefix as in progress.h. */
bool agpu_session_open(struct agpu_session *session, const char *folder, const char *prefix,
                       struct agpu_collector_config *config);

/* Limits the memory for the state of the run, in bytes; records on disk are not affected. */
void agpu_session_limit_memory(struct agpu_session *session, size_t bytes);

/* Takes one datagram, as agpu_collector_packet(). */
bool agpu_session_packet(struct agpu_session *session, const char *bytes, size_t size, uint64_t now_us);
/* Takes one item of the lossless stream, as agpu_collector_item(). */
bool agpu_session_item(struct agpu_session *session, const char *boot, const struct agpu_intake_item *item,
                       uint64_t now_us);
/* Writes everything that arrived so far to files, so that it survives a crash of this process. Returns false when
 * they could not be written. */
bool agpu_session_flush(struct agpu_session *session);
void agpu_session_stream(struct agpu_session *session, enum agpu_source source, const char *bytes,
                         size_t size, uint64_t now_us);

/* Writes a line of a helper process to console.log. */
void agpu_session_log(struct agpu_session *session, const char *who, const char *line, size_t length);

/* Handles time limits, stragglers, and the progress line. */
void agpu_session_tick(struct agpu_session *session, uint64_t now_us);
/* Returns when to call agpu_session_tick() next, UINT64_MAX for never. */
uint64_t agpu_session_deadline(const struct agpu_session *session, uint64_t now_us);

/* Concludes the run, writes all reports, displays the summary. boot_us: time at which the machine was started, 0 if
 * unknown. Returns false when a report could not be written. The session's run stays readable until
 * agpu_session_close(). */
bool agpu_session_finish(struct agpu_session *session, uint64_t boot_us, uint64_t now_us);
void agpu_session_close(struct agpu_session *session);

/* Returns true when the finished run is an exit status of 0. */
bool agpu_session_passed(struct agpu_session *session);

#endif
