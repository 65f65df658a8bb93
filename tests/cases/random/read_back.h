/* read_back.h: actions that copy resources to guest memory (commands.md 6.4). */
#ifndef AGPU_CASES_RANDOM_READ_BACK_H
#define AGPU_CASES_RANDOM_READ_BACK_H

#include "tests/cases/random/world.h"

/* Results of a field of fields.def, which is a submission of its own: pictures with a row for each draw. */
#define AGPU_GEN_READ_REGION  3u
#define AGPU_GEN_RESULTS      4u
#define AGPU_GEN_RESULT_BYTES 256u
#define AGPU_GEN_RESULT_ROW   64u

/* Copy one resource, or all of them. */
agpu_gen_action agpu_gen_read_back, agpu_gen_read_all;

#endif
