/* order.h: the cases of a round in another order. */
#ifndef AGPU_CASES_HARNESS_ORDER_H
#define AGPU_CASES_HARNESS_ORDER_H

#include "tests/cases/harness/case.h"

/* The seed of the tables' order from the end. */
#define AGPU_ORDER_REVERSED UINT64_MAX

/* Puts the items into an order that the seed alone decides. */
void agpu_order_shuffle(const struct agpu_case **items, unsigned count, uint64_t seed);

#endif
