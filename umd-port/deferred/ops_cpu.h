/* ops_cpu.h: what the CPU does while a command list is executed (umd.md 7.1, 7.3, 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_CPU_H
#define AGPU_UMD_DEFERRED_OPS_CPU_H

#include "umd-port/deferred/execution.h"
#include "umd-port/deferred/ops.h"

/* Does an op of which agpu_op_is_on_cpu() holds; submits before that what is recorded and uses the same
 * memory. Fails as submissions and locks do. */
HRESULT agpu_execute_cpu_op(struct agpu_execution *execution, const struct agpu_op_header *op);

#endif
