/* import.h: imports finished runs into the history, each once. */
#ifndef AGPU_HOST_HISTORY_IMPORT_H
#define AGPU_HOST_HISTORY_IMPORT_H

#include <stdint.h>

#include "tests/host/history/database.h"
#include "tests/host/report/report.h"

#define AGPU_HISTORY_FOLDERS_MAX 100000u /* limit for one folder of results */

enum agpu_imported {
    AGPU_IMPORT_NEW,
    AGPU_IMPORT_KNOWN,  /* a run with the same records exists, from any folder */
    AGPU_IMPORT_NONE,   /* the folder has no finished run */
    AGPU_IMPORT_FAILED, /* with a line on stderr */
};

/* Imports the run whose results.jsonl is in folder. *run is its number in the history (NEW, KNOWN); may be NULL. */
enum agpu_imported agpu_history_import(struct agpu_history *history, const char *folder, int64_t *run);

/* Imports the run in folder, or, when there is none, all runs in its subfolders, sorted by name. Unchanged ones that
 * were imported before are not read again. Returns false when one failed, with a line on stderr; *added counts the
 * new ones. */
bool agpu_history_import_all(struct agpu_history *history, const char *folder, unsigned *added);

/* Writes the setup, by which results can be compared: an injected fault if any, the device as its plan describes it,
 * its expectations, its machine. text holds AGPU_HISTORY_SETUP_MAX bytes. */
#define AGPU_HISTORY_SETUP_MAX 512
void agpu_history_setup(const struct agpu_report *report, char *text, size_t size);

/* Imports a run that has just ended in the numbered folder into the history of the folder of results. Errors are
 * only reported on stderr: they do not affect the run, and a later import adds it. */
void agpu_history_note_run(const char *results, const char *folder);

/* Deletes all but the latest runs. Returns false with a line on stderr. */
bool agpu_history_keep(struct agpu_history *history, uint64_t runs);

#endif
