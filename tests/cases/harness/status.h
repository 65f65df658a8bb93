/* status.h: the six results that a case, or a run, can have.
 *
 *   PASS     Everything that the case checked held.
 *   SKIP     The case could not be tried: the device lacks a feature, or the machine cannot observe it.
 *            The reason names what is missing. Checks made before count for nothing.
 *   ERROR    The test system is wrong or was let down by the machine: no memory, no device, a leak.
 *            No verdict on the device.
 *   FAIL     The device is wrong: a check did not hold.
 *   TIMEOUT  A bounded wait for the device ran out, or the case used up its time, or it did not return.
 *   CRASH    A processor exception in the case, which the image survived (guard.h); or the case took the image
 *            or the device down, which only the host can say.
 *
 * Order: PASS < SKIP < ERROR < FAIL < TIMEOUT < CRASH. A case, and a run, has the worst status that was
 * reported in it ("worst wins"). ERROR is below FAIL so that a finding about the device is not hidden by
 * trouble that follows from it. */
#ifndef AGPU_CASES_HARNESS_STATUS_H
#define AGPU_CASES_HARNESS_STATUS_H

enum agpu_result {
    AGPU_PASS,
    AGPU_SKIP,
    AGPU_ERROR,
    AGPU_FAIL,
    AGPU_TIMEOUT,
    AGPU_CRASH,
    AGPU_RESULT_COUNT,
};

/* "PASS", "SKIP", ...; "?" for a value outside the enumeration. */
const char *agpu_result_name(enum agpu_result result);

/* The worse of the two. */
enum agpu_result agpu_result_worse(enum agpu_result a, enum agpu_result b);

#endif
