/* session.h: one machine under collection: its collector, its result folder, and the person watching. */
#ifndef AGPU_HOST_RUN_SESSION_H
#define AGPU_HOST_RUN_SESSION_H

#include "tests/host/report/artifacts.h"
#include "tests/host/report/disk.h"
#include "tests/host/report/output_file.h"
#include "tests/host/report/progress.h"
#include "tests/host/report/results_file.h"
#include "tests/host/report/pieces.h"
#include "tests/host/report/streamed_capture.h"
#include "tests/host/wire/collector.h"
#include "tests/host/wire/intake.h"

struct agpu_session {
    char folder[4096];
    int lock;                        /* on the folder */
    struct agpu_artifact_list files; /* of the folder, once the run is finished */
    struct agpu_collector *collector;
    struct agpu_results_file results;
    struct agpu_artifacts artifacts;
    uint64_t files_before; /* of them, before the piece that is written */
    struct agpu_pieces pieces;
    struct agpu_streamed_capture capture;
    struct agpu_log_file netconsole;
    struct agpu_log_file console;
    enum agpu_source
        console_of; /* whose records console.log shows: the serial port's, unless the caller says otherwise */
    struct agpu_live progress;
    struct agpu_report report; /* the caller adds to its environment before agpu_session_finish() */
    uint64_t start_us;
    uint64_t failed_checks; /* records of failed checks that arrived */
    char symbols[4096];     /* agpu.efi, for names in back traces; "": none */
    unsigned traces;        /* looked up so far */
    size_t problems_shown;
    bool stuck;             /* the disk takes no records */
    struct agpu_disk *disk; /* shared with others, the caller's; NULL, as it is when opened: without bound */
};

/* Host time in microseconds: CLOCK_MONOTONIC. */
uint64_t agpu_now_us(void);

/* Makes the folder, locks it, and opens its files; removes reports of an earlier run, so that none is taken for this
 * one's. config->output is filled in here. False with a line on stderr. prefix as in progress.h. */
bool agpu_session_open(struct agpu_session *session, const char *folder, const char *prefix,
                       struct agpu_collector_config *config);

/* From now on what is kept of the run in memory has this bound, in bytes; the records that arrived stay on disk. */
void agpu_session_limit_memory(struct agpu_session *session, size_t bytes);

/* One datagram, as agpu_collector_packet(). */
bool agpu_session_packet(struct agpu_session *session, const char *bytes, size_t size, uint64_t now_us);
/* One item of the lossless stream, as agpu_collector_item(). */
bool agpu_session_item(struct agpu_session *session, const char *boot, const struct agpu_intake_item *item,
                       uint64_t now_us);
/* What arrived so far is in files now, whatever becomes of this process. False when they could not be written. */
bool agpu_session_flush(struct agpu_session *session);
void agpu_session_stream(struct agpu_session *session, enum agpu_source source, const char *bytes,
                         size_t size, uint64_t now_us);

/* A line that a helper process said: into console.log. */
void agpu_session_log(struct agpu_session *session, const char *who, const char *line, size_t length);

/* artifacts/name in the result folder, absolute; makes the folder. */
bool agpu_session_artifact_path(struct agpu_session *session, const char *name, char *path, size_t size);

/* Bounds, stragglers, the progress line. */
void agpu_session_tick(struct agpu_session *session, uint64_t now_us);
/* When to call it next, UINT64_MAX for never. */
uint64_t agpu_session_deadline(const struct agpu_session *session, uint64_t now_us);

/* Concludes the run, writes all reports, shows the summary. boot_us: when the machine was started, 0 if
 * unknown. False when a report could not be written. The session's run stays readable until
 * agpu_session_close(). */
bool agpu_session_finish(struct agpu_session *session, uint64_t boot_us, uint64_t now_us);
void agpu_session_close(struct agpu_session *session);

/* True when the finished run deserves exit status 0. */
bool agpu_session_passed(struct agpu_session *session);

#endif
