/* table.c: allocation lists become the tables that the device reads (vidmm.md 6.2). */
#include <string.h>

#include "mm/runtime/wait.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 4096u
#define T    AEROGPU_FEATURE_TRANSFER

static bool table_two(struct agpu_test *t, struct agpu_client_memory *a, struct agpu_client_memory *b)
{
    uint8_t data[SIZE];

    agpu_fill_pattern(data, SIZE, 1);
    if (!agpu_client_alloc(t, SIZE, a) || !agpu_client_alloc(t, SIZE, b) ||
        !agpu_client_write(t, a, AGPU_LOCK_NOREFERENCE, data, SIZE) || !agpu_client_submit(t)) {
        return false;
    }
    return agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* The table must have the entries of the list in order, READONLY for those without the write flag. */
static void order_and_readonly(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    const struct aerogpu_alloc_entry *entries;
    uint32_t count;

    agpu_return_unless(table_two(t, &a, &b));
    agpu_gate_hold(t);
    agpu_client_nop();
    agpu_client_list(a.allocation, false);
    agpu_client_list(b.allocation, true);
    agpu_return_unless(agpu_client_submit(t));
    entries = agpu_pending_table(t, &count);
    agpu_assert(t, entries && count == 2);
    agpu_check_eq_u64(t, entries[0].alloc_id, a.alloc_id);
    agpu_check_eq_hex(t, entries[0].flags, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_check_eq_u64(t, entries[1].alloc_id, b.alloc_id);
    agpu_check_eq_hex(t, entries[1].flags, 0);
    agpu_check_eq_u64(t, entries[0].size_bytes, SIZE);
    agpu_check(t, entries[0].gpa != entries[1].gpa && entries[0].gpa % 4096 == 0);
}

/* An allocation listed twice must have one entry, writable if one of them writes. */
static void table_duplicates(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    const struct aerogpu_alloc_entry *entries;
    uint32_t count;

    agpu_return_unless(table_two(t, &a, &b));
    agpu_gate_hold(t);
    agpu_client_nop();
    agpu_client_list(a.allocation, false);
    agpu_client_list(b.allocation, false);
    agpu_client_list(a.allocation, true); /* one writer is enough */
    agpu_client_list(b.allocation, false);
    agpu_return_unless(agpu_client_submit(t));
    entries = agpu_pending_table(t, &count);
    agpu_assert(t, entries && count == 2);
    agpu_check_eq_u64(t, entries[0].alloc_id, a.alloc_id);
    agpu_check_eq_hex(t, entries[0].flags, 0);
    agpu_check_eq_hex(t, entries[1].flags, AEROGPU_ALLOC_FLAG_READONLY);
}

/* Given a list without allocations, the submission must have no table. */
static void empty_list(struct agpu_test *t)
{
    uint32_t count;

    agpu_gate_hold(t);
    agpu_client_nop();
    agpu_client_list(0, false);
    agpu_return_unless(agpu_client_submit(t));
    agpu_check(t, agpu_pending_table(t, &count) == NULL);
}

/* A stream that needs a table and has none must be refused before anything is queued. */
static void without_table(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    struct aerogpu_cmd_create_buffer *create;
    struct aerogpu_cmd_resource_dirty_range *dirty;
    struct aerogpu_cmd_copy_buffer *copy;
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t submitted;

    agpu_return_unless(table_two(t, &a, &b));
    submitted = kmd->submitted;
    create = agpu_client_packet(AEROGPU_CMD_CREATE_BUFFER, sizeof *create);
    create->buffer_handle = 0x40000001u;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    create->size_bytes = SIZE;
    create->backing_alloc_id = a.alloc_id;
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    dirty = agpu_client_packet(AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *dirty);
    dirty->resource_handle = a.buffer;
    dirty->size_bytes = SIZE;
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    copy = agpu_client_packet(AEROGPU_CMD_COPY_BUFFER, sizeof *copy);
    copy->dst_buffer = b.buffer;
    copy->src_buffer = a.buffer;
    copy->size_bytes = SIZE;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    agpu_check_eq_u64(t, kmd->submitted, submitted);
    /* A device-owned buffer needs none, nor does a packet of an unknown opcode. */
    agpu_client_packet(0x7FFFFFFFu, sizeof(struct aerogpu_cmd_hdr));
    agpu_client_submit(t);
    create = agpu_client_packet(AEROGPU_CMD_CREATE_BUFFER, sizeof *create);
    create->buffer_handle = 0x40000001u;
    create->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    create->size_bytes = SIZE;
    agpu_client_submit(t);
    ((struct aerogpu_cmd_destroy_resource *)agpu_client_packet(AEROGPU_CMD_DESTROY_RESOURCE,
                                                               sizeof(struct aerogpu_cmd_destroy_resource)))
        ->resource_handle = 0x40000001u;
    agpu_client_submit(t);
}

static void table_of_thousands(struct agpu_runtime_config *config)
{
    config->allocation_list = 1024;
}

/* A list of a thousand references to a hundred allocations must become a table of a hundred entries. */
static void thousand_references(struct agpu_test *t)
{
    struct agpu_client_memory memories[100];
    uint8_t data[256];
    const struct aerogpu_alloc_entry *entries;
    uint32_t count;

    for (uint32_t i = 0; i < 100; i++) {
        agpu_return_unless(agpu_client_alloc(t, 256, &memories[i]));
        agpu_fill_pattern(data, sizeof data, i);
        agpu_return_unless(agpu_client_write(t, &memories[i], AGPU_LOCK_NOREFERENCE, data, sizeof data));
    }
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_gate_hold(t);
    for (uint32_t i = 0; i < 1000; i++) {
        agpu_client_list(memories[i % 100].allocation, i >= 900 && i % 2);
    }
    for (uint32_t i = 1; i < 100; i += 2) {
        struct aerogpu_cmd_copy_buffer *copy = agpu_client_packet(AEROGPU_CMD_COPY_BUFFER, sizeof *copy);

        copy->dst_buffer = memories[i].buffer;
        copy->src_buffer = memories[i - 1].buffer;
        copy->size_bytes = 256;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    }
    agpu_return_unless(agpu_client_submit(t));
    entries = agpu_pending_table(t, &count);
    agpu_assert(t, entries && count == 100);
    for (uint32_t i = 0; i < 100; i++) {
        agpu_check_eq_hex(t, entries[i].flags, i % 2 ? 0 : AEROGPU_ALLOC_FLAG_READONLY);
    }
    agpu_gate_open(t);
    for (uint32_t i = 0; i < 100; i++) {
        agpu_fill_pattern(data, sizeof data, i & ~1u);
        agpu_return_unless(agpu_client_check(t, &memories[i], data, sizeof data));
    }
}

/* A list with an unknown or destroyed allocation must be refused without a submission. */
static void unknown_handle(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t submitted;

    agpu_return_unless(table_two(t, &a, &b));
    submitted = kmd->submitted;
    agpu_client_nop();
    agpu_client_list(a.allocation, false);
    agpu_client_list(0x7FFFFFF0u, false);
    agpu_check(t, FAILED(agpu_client_render()));
    agpu_check_eq_u64(t, kmd->submitted, submitted);
    agpu_client_free(t, &b);
    submitted = kmd->submitted;
    agpu_client_nop();
    agpu_client_list(b.allocation, false);
    agpu_check(t, FAILED(agpu_client_render()));
    agpu_check_eq_u64(t, kmd->submitted, submitted);
}

/* The counters of the performance escape must match the driver's work: a cleared target and a copied source. */
static void table_counted(struct agpu_test *t)
{
    const struct agpu_kmd_counters *counters = &agpu_runtime_kmd(t->env->umd.runtime)->counters;
    D3D10DDI_HRESOURCE target = agpu_make_target(t, DXGI_FORMAT_R8G8B8A8_UNORM, 8, 8);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 8, 8);
    D3D10DDI_HRESOURCE copy = agpu_make_texture(t, &desc, 0);
    D3D10DDI_HRESOURCE source = agpu_make_texture(t, &desc, 1);
    struct agpu_kmd_counters before;

    agpu_assert(t, view.pDrvPrivate && copy.pDrvPrivate && source.pDrvPrivate);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    before = *counters;
    agpu_clear_view(t, view, 1, 0, 0, 1);
    agpu_umd_copy(t, copy, source);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_check_eq_u64(t, counters->tables, before.tables + 1);
    agpu_check_eq_u64(t, counters->table_entries, before.table_entries + 3);
    agpu_check_eq_u64(t, counters->table_readonly, before.table_readonly + 1);
}

/* The device must enforce READONLY in the table that was built from the driver's list, and the driver must notice the
 * error with the fence. */
static void readonly_is_enforced(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    struct aerogpu_cmd_copy_buffer *copy;
    uint8_t before[SIZE];

    agpu_return_unless(table_two(t, &a, &b));
    memset(before, 0, SIZE);
    copy = agpu_client_packet(AEROGPU_CMD_COPY_BUFFER, sizeof *copy);
    copy->dst_buffer = b.buffer;
    copy->src_buffer = a.buffer;
    copy->size_bytes = SIZE;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    agpu_client_list(a.allocation, false);
    agpu_client_list(b.allocation, false); /* wrong on purpose: the copy writes it */
    /* The new fence makes a poll read IRQ_STATUS, although that was read just now. */
    t->env->adapter.polled_ns = t->env->platform->now_ns(t->env->platform->ctx);
    agpu_return_unless(agpu_client_submit(t));
    agpu_runtime_wait_idle(t->env->umd.runtime);
    agpu_runtime_poll(t->env->umd.runtime);
    agpu_check_eq_u64(t, agpu_runtime_kmd(t->env->umd.runtime)->counters.errors, 1);
    /* The error remains until a restart (vidmm.md 7). */
    agpu_check_hr(t, agpu_client_lock(&b, AGPU_LOCK_READ), D3DDDIERR_DEVICEREMOVED);
    agpu_client_nop();
    agpu_check(t, FAILED(agpu_client_render()));
    agpu_kmd_reset(agpu_runtime_kmd(t->env->umd.runtime), NULL,
                   t->env->platform->now_ns(t->env->platform->ctx));
    agpu_kmd_restart(agpu_runtime_kmd(t->env->umd.runtime));
    agpu_client_check(t, &b, before, SIZE);
}

#define CASE(name, function)                                                                                 \
    AGPU_STACK_CASE(name, "vidmm.md 6.2", T, 0, .body = function, .gate = true, .client = true)

static const struct agpu_case vidmm_table_cases[] = {
    CASE("vidmm.table.order_and_readonly", order_and_readonly),
    CASE("vidmm.table.duplicates", table_duplicates),
    CASE("vidmm.table.empty_list", empty_list),
    CASE("vidmm.table.needed_and_missing", without_table),
    AGPU_STACK_CASE("vidmm.table.thousand_references", "vidmm.md 6.2", T, 0, .body = thousand_references,
                    .gate = true, .client = true, .configure = table_of_thousands),
    CASE("vidmm.table.unknown_handle", unknown_handle),
    CASE("vidmm.table.counted", table_counted),
    AGPU_STACK_CASE("vidmm.table.readonly_is_enforced", "vidmm.md 6.2", T | AEROGPU_FEATURE_ERROR_INFO, 0,
                    .body = readonly_is_enforced, .gate = true, .client = true),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_table, vidmm_table_cases);
