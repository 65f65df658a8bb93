/* submit.c: copies stream and table to the rig's memory, submits a descriptor, and waits with a bound. */
#include "efi/control/submit.h"

#include <string.h>

#include "pci/machine/status.h"
#include "pci/registers.h"

#define WAIT_NS UINT64_C(5000000000)

static const char *fill_table(struct agpu_env *env, struct agpu_submission *submission)
{
    struct agpu_rig *rig = &env->rig;
    struct agpu_alloc_table table;
    enum agpu_status status = agpu_alloc_table_begin(&table, rig->table.cpu, rig->table.size);

    for (unsigned i = 0; status == AGPU_OK && i < AGPU_RIG_MEMORY_COUNT; i++) {
        status = agpu_alloc_table_add(&table, i + 1, rig->memory[i].device_address, rig->memory[i].size,
                                      AEROGPU_ALLOC_FLAG_NONE);
    }
    if (status != AGPU_OK) {
        return agpu_status_name(status);
    }
    submission->table_size = agpu_alloc_table_finish(&table);
    submission->table_address = rig->table.device_address;
    submission->table = rig->table.cpu;
    return NULL;
}

static enum agpu_status wait_for_fence(struct agpu_env *env, uint64_t fence, uint64_t *completed)
{
    const struct agpu_platform *platform = env->platform;
    const uint64_t until = platform->now_ns(platform->ctx) + WAIT_NS;
    enum agpu_status status;

    for (;;) {
        status = env->transport.completed_fence(env->transport.ctx, completed);
        if (status != AGPU_OK || *completed >= fence) {
            return status;
        }
        if (platform->now_ns(platform->ctx) > until) {
            return AGPU_ERR_TIMEOUT;
        }
        platform->relax(platform->ctx, AGPU_RELAX_FENCE);
    }
}

static bool has_errors(const struct agpu_env *env)
{
    return !env->abi.legacy && (env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0;
}

static uint32_t count_errors(const struct agpu_env *env)
{
    return has_errors(env) ? agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT) : 0;
}

const char *agpu_control_submit(struct agpu_env *env, const void *bytes, size_t size, uint32_t flags,
                                struct agpu_record *row, bool *hung)
{
    const struct agpu_platform *platform = env->platform;
    struct agpu_rig *rig = &env->rig;
    struct agpu_submission submission = {.flags = flags};
    const uint32_t errors = count_errors(env);
    uint64_t completed = 0, began;
    enum agpu_status status;
    const char *failed;

    if (size > rig->cmd.size) {
        return "the stream is larger than its buffer";
    }
    if (size != 0) {
        memcpy(rig->cmd.cpu, bytes, size);
        submission.cmd_address = rig->cmd.device_address;
        submission.cmd_size = (uint32_t)size;
        failed = fill_table(env, &submission);
        if (failed != NULL) {
            return failed;
        }
    }
    submission.fence = rig->fence + 1;
    began = platform->now_ns(platform->ctx);
    status = env->transport.submit(env->transport.ctx, &submission);
    if (status != AGPU_OK) {
        return agpu_status_name(status);
    }
    rig->fence++;
    status = wait_for_fence(env, submission.fence, &completed);
    *hung = status != AGPU_OK;
    agpu_record_string(row, "status", status == AGPU_OK ? "done" : agpu_status_name(status));
    agpu_record_u64(row, "fence", submission.fence);
    agpu_record_u64(row, "completed_fence", completed);
    agpu_record_u64(row, "us", (platform->now_ns(platform->ctx) - began) / 1000);
    if (has_errors(env)) {
        const uint32_t now = count_errors(env);

        agpu_record_u64(row, "errors", now - errors);
        agpu_record_u64(row, "error_code",
                        now != errors ? agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_CODE) : 0);
    }
    return NULL;
}
