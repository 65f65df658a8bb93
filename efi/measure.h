/* measure.h: what the wire carries, as metrics of the case in whose place it runs: tests/bench asks for it; and a file, to
 * be looked at behind a link that loses. */
#ifndef AGPU_EFI_MEASURE_H
#define AGPU_EFI_MEASURE_H

#include "tests/cases/harness/case.h"

/* Frames of the card by itself, records by datagrams alone and by the stream alone, each a second; and the milliseconds until a
 * collector has acknowledged a megabyte of files. Needs network and stream; sends some thousand records. */
void agpu_measure_wire(struct agpu_test *test);

/* The first time, a file of 20,000 bytes by the stream, once that is open: byte number i is i * 31. */
void agpu_measure_file(struct agpu_test *test);

#endif
