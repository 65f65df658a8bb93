/* program.h: shaders, input layouts and samplers. */
#ifndef AGPU_CASES_REFERENCE_PROGRAM_H
#define AGPU_CASES_REFERENCE_PROGRAM_H

#include "tests/cases/reference/state.h"

/* Executes a packet about them; any other packet does nothing. */
enum aerogpu_error agpu_ref_program(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd);
/* Returns the stage of a packet, AGPU_REF_STAGES for an error (commands.md 4). */
uint32_t agpu_ref_stage(const struct agpu_ref *ref, uint32_t stage, uint32_t extended);

#endif
