/* measure.h: network measurements for tests/bench, reported as metrics of the case whose place they take; and
 * a test file for links that lose packets. */
#ifndef AGPU_EFI_MEASURE_H
#define AGPU_EFI_MEASURE_H

#include "tests/cases/harness/case.h"

/* Measures frames per second of the card alone, records per second by datagrams alone and by the stream
 * alone, and the milliseconds until a collector has acknowledged a megabyte of files. Needs network and
 * stream; sends some thousand records. */
void agpu_measure_wire(struct agpu_test *test);

/* On the first call, sends a file of 20,000 bytes over the stream once that is open: byte i is i * 31. */
void agpu_measure_file(struct agpu_test *test);

#endif
