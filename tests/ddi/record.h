/* record.h: records the calls of the driver's entries that a run makes, with the callbacks that they cause. One
 * recording at a time. */
#ifndef AGPU_TESTS_DDI_RECORD_H
#define AGPU_TESTS_DDI_RECORD_H

#include <stdbool.h>

/* Starts to record every device that is opened (tests/cases/rig/umd_rig.h). Returns false with errno if the file cannot
 * be created. */
bool ddi_record_open(const char *path);
/* Names the case that makes the calls from now on. */
void ddi_record_case(const char *id);
/* Ends the recording. Returns false if the file is not complete. */
bool ddi_record_close(void);

#endif
