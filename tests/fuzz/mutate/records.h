/* records.h: new records for a script: steps of random sessions, and what only these scripts can do: races, mappings,
 * service points, accesses of any size. */
#ifndef AGPU_TESTS_FUZZ_MUTATE_RECORDS_H
#define AGPU_TESTS_FUZZ_MUTATE_RECORDS_H

#include "tests/cases/random/random.h"
#include "tests/fuzz/machine/script.h"

/* Maximum size of a new operand; longer ones are cut. */
#define FUZZ_MADE_BYTES 8192u

/* Takes a new record; its operand is valid during the call. */
typedef void fuzz_take(const struct fuzz_record *record);

/* Makes the records of some successive steps of a random session (tests/cases/random). */
void fuzz_make_session(struct agpu_gen_random *random, fuzz_take *take);
/* Makes one record of an operation that sessions do not have, or that they use less freely. */
void fuzz_make_record(struct agpu_gen_random *random, fuzz_take *take);
/* Returns an interesting value: a small one, an address, a limit, any. */
uint64_t fuzz_any_value(struct agpu_gen_random *random);

#endif
