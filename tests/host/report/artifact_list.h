/* artifact_list.h: the files in artifacts/ of a result folder, and whose they are. */
#ifndef AGPU_HOST_REPORT_ARTIFACT_LIST_H
#define AGPU_HOST_REPORT_ARTIFACT_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised is empty. */
struct agpu_artifact_list {
    char **names; /* sorted, without the folder */
    size_t count;
};

/* Reads FOLDER/artifacts; a folder that is not there has none. False when memory is exhausted. */
bool agpu_artifact_list_read(struct agpu_artifact_list *list, const char *folder);
void agpu_artifact_list_free(struct agpu_artifact_list *list);

/* Those of a case ("DEVICE/ID" with several devices): list->names[*first] and those behind it, as many as returned. */
size_t agpu_artifact_list_of(const struct agpu_artifact_list *list, const char *id, size_t *first);

/* What stands behind the case's id in the name of one of its files: "actual.png". */
const char *agpu_artifact_kind(const char *name, const char *id);

#endif
