/* ops_cpu.h: CPU work during the execution of a command list (umd.md 7.1, 7.3, 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_CPU_H
#define AGPU_UMD_DEFERRED_OPS_CPU_H

#include "umd-port/deferred/execution.h"
#include "umd-port/deferred/ops.h"

/* Executes an op for which agpu_op_is_on_cpu() is true. Submits first if recorded packets use the same memory. Returns
 * failures of submissions and locks. */
HRESULT agpu_execute_cpu_op(struct agpu_execution *execution, const struct agpu_op_header *op);

#endif
