/* import.h: finished runs taken into the history, each once. */
#ifndef AGPU_HOST_HISTORY_IMPORT_H
#define AGPU_HOST_HISTORY_IMPORT_H

#include <stdint.h>

#include "tests/host/history/database.h"
#include "tests/host/report/report.h"

#define AGPU_HISTORY_FOLDERS_MAX 100000u /* in one folder of results */

enum agpu_imported {
    AGPU_IMPORT_NEW,
    AGPU_IMPORT_KNOWN,  /* its records are there already, from wherever they came */
    AGPU_IMPORT_NONE,   /* no finished run is in the folder */
    AGPU_IMPORT_FAILED, /* with a line on stderr */
};

/* The run whose results.jsonl is in folder. *run is its number in the history (NEW, KNOWN); may be NULL. */
enum agpu_imported agpu_history_import(struct agpu_history *history, const char *folder, int64_t *run);

/* The run in folder, or, when none is there, all runs in the folders in it, by their names. Those that were looked at before
 * and have not changed are not read again. False when one failed, with a line on stderr; *added counts those that are new. */
bool agpu_history_import_all(struct agpu_history *history, const char *folder, unsigned *added);

/* Writes what results can be compared by: the device as its plan describes it, by which rules it was judged, its machine, and in
 * front a fault that it has. text holds AGPU_HISTORY_SETUP_MAX bytes. */
#define AGPU_HISTORY_SETUP_MAX 512
void agpu_history_setup(const struct agpu_report *report, char *text, size_t size);

/* A run that has just ended in the numbered folder, into the history of the folder of results. What is wrong is said on stderr:
 * it is nothing against the run, and a later import takes it in. */
void agpu_history_note_run(const char *results, const char *folder);

/* Leaves out all but the latest runs. False with a line on stderr. */
bool agpu_history_keep(struct agpu_history *history, uint64_t runs);

#endif
