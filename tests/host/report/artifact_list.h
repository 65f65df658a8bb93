/* artifact_list.h: the files in artifacts/ of a result folder, and the cases that they belong to. */
#ifndef AGPU_HOST_REPORT_ARTIFACT_LIST_H
#define AGPU_HOST_REPORT_ARTIFACT_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised is empty. */
struct agpu_artifact_list {
    char **names; /* sorted, without the folder */
    size_t count;
};

/* Reads FOLDER/artifacts; a missing folder gives an empty list. Returns false when memory is exhausted. */
bool agpu_artifact_list_read(struct agpu_artifact_list *list, int folder);
void agpu_artifact_list_free(struct agpu_artifact_list *list);

/* Finds the files of a case ("DEVICE/ID" with several devices): list->names[*first] and the following ones; returns
 * how many. */
size_t agpu_artifact_list_of(const struct agpu_artifact_list *list, const char *id, size_t *first);

/* Returns the part of a file's name after the case's id: "actual.png". */
const char *agpu_artifact_kind(const char *name, const char *id);

#endif
