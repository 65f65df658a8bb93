/* share.h: tokens of shared surfaces. */
#ifndef AGPU_CASES_REFERENCE_SHARE_H
#define AGPU_CASES_REFERENCE_SHARE_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_export(struct agpu_ref *ref, const struct aerogpu_cmd_export_shared_surface *cmd);
enum aerogpu_error agpu_ref_import(struct agpu_ref *ref, const struct aerogpu_cmd_import_shared_surface *cmd);
enum aerogpu_error agpu_ref_release_token(struct agpu_ref *ref, uint64_t token);
/* Retires the tokens of a resource that dies. */
void agpu_ref_retire(struct agpu_ref *ref, const struct agpu_ref_resource *resource);

#endif
