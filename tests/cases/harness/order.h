/* order.h: changes the order of the cases in a round. */
#ifndef AGPU_CASES_HARNESS_ORDER_H
#define AGPU_CASES_HARNESS_ORDER_H

#include "tests/cases/harness/case.h"

/* The seed that reverses the order of the tables. */
#define AGPU_ORDER_REVERSED UINT64_MAX

/* Puts the items into an order that depends only on the seed. */
void agpu_order_shuffle(const struct agpu_case **items, unsigned count, uint64_t seed);

#endif
