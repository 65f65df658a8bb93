/* monitor.c: one function for each verb; a table states when each may be carried out. */
#include "efi/control/monitor.h"

#include <string.h>

#include "efi/control/device_view.h"
#include "efi/control/submit.h"
#include "pci/registers.h"
#include "tests/cases/harness/selection.h"

/* Pseudo-case that the monitor's own device is prepared for. */
static const struct agpu_case ring_and_rig = {.id = "control", .spec = "ring.md 1", .needs = AGPU_NEED_RING};

void agpu_monitor_init(struct agpu_monitor *m, const struct agpu_monitor_config *config)
{
    memset(m, 0, sizeof *m);
    m->config = *config;
}

static enum agpu_monitor_answer reject(struct agpu_monitor *m, const char *text)
{
    agpu_text_begin(&m->text, m->rows, sizeof m->rows);
    agpu_text_string(&m->text, text);
    return AGPU_MONITOR_BAD;
}

static enum agpu_monitor_answer put_row(struct agpu_monitor *m, struct agpu_record *row)
{
    return agpu_view_put(&m->text, row) ? AGPU_MONITOR_GOOD : reject(m, "the answer is too long");
}

/* ---- the monitor's own device ---- */

/* Restores registers that store what is written to them and that quiescing has left alone. Skips a register
 * that no longer holds the written value. The old value starts nothing that was not active before. */
static void write_back(struct agpu_monitor *m)
{
    const struct agpu_function *function = &m->own->function;

    for (unsigned i = 0; i < m->written_count && i < AGPU_MONITOR_WRITTEN_MAX; i++) {
        const struct agpu_monitor_written *one = &m->written[i];

        if (one->value != one->before && agpu_reg_read(function, one->offset) == one->value) {
            agpu_reg_write(function, one->offset, one->before);
        }
    }
    m->written_count = 0;
}

static void take_down(struct agpu_monitor *m)
{
    char buffer[100];
    struct agpu_text leaks;

    if (m->up || m->written_count != 0) {
        agpu_text_begin(&leaks, buffer, sizeof buffer);
        m->config.fixture->restore(m->own, m->up ? ring_and_rig.needs : AGPU_NEED_FUNCTION, &leaks);
        m->up = m->hung = false;
        write_back(m);
    }
}

void agpu_monitor_close(struct agpu_monitor *m)
{
    if (m->own == NULL) {
        return;
    }
    take_down(m);
    m->config.fixture->close(m->own);
    m->platform.heap_free(m->platform.ctx, m->own);
    m->own = NULL;
    m->config.machine_close(m->config.ctx);
}

/* Returns false, with the reason as the answer. */
static bool open_device(struct agpu_monitor *m)
{
    struct agpu_fixture_config own_config = m->config.fixture_config;
    char reason[240];
    struct agpu_text why;

    if (m->own != NULL) {
        return true;
    }
    m->config.machine_open(m->config.ctx, &m->platform);
    own_config.platform = &m->platform;
    m->own = m->platform.heap_alloc(m->platform.ctx, m->config.fixture->env_bytes);
    agpu_text_begin(&why, reason, sizeof reason);
    if (m->own == NULL) {
        agpu_text_string(&why, "no memory for the device's state");
    } else if (m->config.fixture->open(m->own, &own_config, &m->found, &why) == AGPU_OK) {
        return true;
    }
    m->platform.heap_free(m->platform.ctx, m->own);
    m->own = NULL;
    m->config.machine_close(m->config.ctx);
    reject(m, reason);
    return false;
}

static bool bring_up(struct agpu_monitor *m)
{
    struct agpu_obstacle why = {.result = AGPU_ERROR};

    if (!open_device(m)) {
        return false;
    }
    if (m->up) {
        return true;
    }
    agpu_text_begin(&why.text, why.buffer, sizeof why.buffer);
    m->own->dirty = true;
    m->up = m->config.fixture->prepare(m->own, &ring_and_rig, &why);
    if (!m->up) {
        reject(m, why.buffer);
    }
    return m->up;
}

/* Returns the device that may be inspected now; NULL, with the reason as the answer. */
static struct agpu_env *device_of(struct agpu_monitor *m)
{
    if (m->running != NULL) {
        return m->running;
    }
    return open_device(m) ? m->own : NULL;
}

/* ---- verbs ---- */

static enum agpu_monitor_answer answer_id(struct agpu_monitor *m)
{
    struct agpu_env *env = device_of(m);
    struct agpu_record row;

    if (env == NULL) {
        return AGPU_MONITOR_BAD;
    }
    agpu_record_begin_row(&row, "id");
    agpu_record_string(&row, "build", m->config.build);
    agpu_record_string(&row, "boot_id", m->config.boot);
    agpu_view_function(&row, env);
    return put_row(m, &row);
}

static void put_counts(struct agpu_record *row, const struct agpu_summary *summary)
{
    for (enum agpu_result i = AGPU_PASS; i < AGPU_RESULT_COUNT; i++) {
        agpu_record_u64(row, agpu_result_count_key(i), summary->counts[i]);
    }
    agpu_record_u64(row, "ended", summary->ended);
    agpu_record_u64(row, "planned", summary->planned);
}

static enum agpu_monitor_answer answer_status(struct agpu_monitor *m, enum agpu_monitor_place place)
{
    struct agpu_record row;

    agpu_record_begin_row(&row, "status");
    agpu_record_string(&row, "state",
                       place == AGPU_MONITOR_WAITING ? "waiting"
                       : place == AGPU_MONITOR_AFTER ? "ended"
                                                     : "running");
    if (place != AGPU_MONITOR_WAITING && place != AGPU_MONITOR_AFTER) {
        agpu_record_string(&row, "running", m->current);
    }
    put_counts(&row, &m->last);
    agpu_record_u64(&row, "uptime_ms", m->config.now_ns(m->config.ctx) / 1000000);
    return put_row(m, &row);
}

static enum agpu_monitor_answer read_register(struct agpu_monitor *m, const struct agpu_ctl_words *words)
{
    const struct agpu_env *env = device_of(m);
    const uint64_t width = words->count > 1 ? words->number[1] : 4;
    const char *wrong = env != NULL ? agpu_view_check_register(env, words->number[0], width) : NULL;
    struct agpu_record row;

    if (env == NULL || wrong != NULL) {
        return env == NULL ? AGPU_MONITOR_BAD : reject(m, wrong);
    }
    const uint32_t offset = (uint32_t)words->number[0];
    agpu_record_begin_row(&row, "register");
    agpu_record_u64(&row, "offset", offset);
    agpu_record_u64(&row, "value",
                    width == 8 ? agpu_reg_read64(&env->function, offset)
                               : agpu_reg_read(&env->function, offset));
    return put_row(m, &row);
}

static void note_written(struct agpu_monitor *m, uint32_t offset, uint32_t value)
{
    for (unsigned i = 0; i < m->written_count && i < AGPU_MONITOR_WRITTEN_MAX; i++) {
        if (m->written[i].offset == offset) {
            m->written[i].value = value;
            return;
        }
    }
    if (m->written_count < AGPU_MONITOR_WRITTEN_MAX) {
        m->written[m->written_count] =
            (struct agpu_monitor_written){offset, agpu_reg_read(&m->own->function, offset), value};
    }
    m->written_count++;
}

static enum agpu_monitor_answer write_register(struct agpu_monitor *m, const struct agpu_ctl_words *words)
{
    const struct agpu_env *env = device_of(m);
    const char *wrong = env != NULL ? agpu_view_check_register(env, words->number[0], 4) : NULL;
    struct agpu_record row;

    if (env == NULL) {
        return AGPU_MONITOR_BAD;
    }
    if (wrong != NULL || words->number[1] > UINT32_MAX) {
        return reject(m, wrong != NULL ? wrong : "a register takes 32 bits at a time");
    }
    note_written(m, (uint32_t)words->number[0], (uint32_t)words->number[1]);
    agpu_reg_write(&env->function, (uint32_t)words->number[0], (uint32_t)words->number[1]);
    agpu_record_begin_row(&row, "written");
    agpu_record_u64(&row, "offset", words->number[0]);
    agpu_record_u64(&row, "value", words->number[1]);
    return put_row(m, &row);
}

static enum agpu_monitor_answer answer_ring(struct agpu_monitor *m)
{
    const struct agpu_env *env = device_of(m);
    struct agpu_record row;

    if (env == NULL) {
        return AGPU_MONITOR_BAD;
    }
    agpu_record_begin_row(&row, "ring");
    agpu_view_ring(&row, env);
    return put_row(m, &row);
}

static enum agpu_monitor_answer start_ring(struct agpu_monitor *m)
{
    take_down(m);
    return bring_up(m) ? answer_ring(m) : AGPU_MONITOR_BAD;
}

static enum agpu_monitor_answer answer_memory(struct agpu_monitor *m)
{
    struct agpu_view_block blocks[AGPU_VIEW_BLOCKS_MAX];
    struct agpu_record row;

    if (m->running == NULL && !bring_up(m)) {
        return AGPU_MONITOR_BAD;
    }
    const unsigned count = agpu_view_blocks(m->running != NULL ? m->running : m->own, blocks);
    for (unsigned i = 0; i < count; i++) {
        agpu_record_begin_row(&row, "memory");
        agpu_record_string(&row, "name", blocks[i].name);
        agpu_record_u64(&row, "address", blocks[i].memory->device_address);
        agpu_record_u64(&row, "size", blocks[i].memory->size);
        agpu_view_put(&m->text, &row);
    }
    return AGPU_MONITOR_GOOD;
}

static enum agpu_monitor_answer read_memory(struct agpu_monitor *m, const struct agpu_ctl_words *words)
{
    const struct agpu_env *env = device_of(m);
    const void *memory;

    if (env == NULL) {
        return AGPU_MONITOR_BAD;
    }
    if (words->number[1] == 0 || words->number[1] > sizeof m->bytes) {
        return reject(m, "expected 1 to 16384 bytes at a time");
    }
    memory = agpu_view_memory(env, words->number[0], words->number[1]);
    if (memory == NULL) {
        return reject(m, "expected bytes within one allocation of the image; mem lists the allocations");
    }
    m->size = (size_t)words->number[1];
    memcpy(m->bytes, memory, m->size);
    return AGPU_MONITOR_GOOD;
}

/* ---- cases ---- */

struct case_rows {
    struct agpu_monitor *monitor;
    uint64_t from, at;
    bool full;
};

/* Leaves space for the row that says where to continue. */
static void put_case(void *ctx, const struct agpu_case *item)
{
    struct case_rows *rows = ctx;
    struct agpu_text *text = &rows->monitor->text;
    struct agpu_record row;

    if (rows->full || rows->at < rows->from) {
        rows->at += !rows->full;
        return;
    }
    agpu_record_begin_row(&row, "case");
    agpu_record_string(&row, "name", item->id);
    rows->full = text->capacity - text->length < row.text.length + 80 || !agpu_view_put(text, &row);
    rows->at += !rows->full;
}

static enum agpu_monitor_answer list_cases(struct agpu_monitor *m, const struct agpu_ctl_words *words)
{
    struct agpu_runner_config selection = {
        .tables = m->config.tables,
        .table_count = m->config.table_count,
        .filter = words->globs,
    };
    struct case_rows rows = {.monitor = m, .from = words->count != 0 ? words->number[0] : 0};
    const struct agpu_env *env = device_of(m);
    struct agpu_record row;

    if (env == NULL) {
        return AGPU_MONITOR_BAD;
    }
    selection.device = env->abi.legacy ? AGPU_CASE_LEGACY : 0;
    agpu_list(&selection, put_case, &rows);
    if (rows.full) {
        agpu_record_begin_row(&row, "more");
        agpu_record_u64(&row, "from", rows.at);
        return put_row(m, &row);
    }
    return AGPU_MONITOR_GOOD;
}

static enum agpu_monitor_answer run_cases(struct agpu_monitor *m, const struct agpu_ctl_words *words)
{
    struct agpu_record row;

    agpu_monitor_close(m);
    m->stopping = false;
    m->last = (struct agpu_summary){.worst = AGPU_ERROR};
    m->config.run(m->config.ctx, words->globs, &m->last);
    agpu_text_begin(&m->text, m->rows, sizeof m->rows); /* other requests may have been answered meanwhile */
    m->size = 0;
    agpu_record_begin_row(&row, "run");
    agpu_record_string(&row, "status", agpu_result_name(m->last.worst));
    put_counts(&row, &m->last);
    agpu_record_u64(&row, "us", m->last.elapsed_us);
    return put_row(m, &row);
}

static enum agpu_monitor_answer submit_stream(struct agpu_monitor *m, const struct agpu_ctl_words *words,
                                              const void *bytes, size_t size)
{
    struct agpu_record row;
    const char *failed;

    if (words->count != 0 && words->number[0] > UINT32_MAX) {
        return reject(m, "the flags of a submission have 32 bits");
    }
    if (m->hung) {
        return reject(m, "the last submission did not complete, so the device still owns its memory: ring "
                         "up starts a fresh ring");
    }
    if (!bring_up(m)) {
        return AGPU_MONITOR_BAD;
    }
    agpu_record_begin_row(&row, "submission");
    failed = agpu_control_submit(m->own, bytes, size, (uint32_t)words->number[0], &row, &m->hung);
    return failed != NULL ? reject(m, failed) : put_row(m, &row);
}

static enum agpu_monitor_answer make_wish(struct agpu_monitor *m, enum agpu_monitor_place place,
                                          enum agpu_monitor_wish wish)
{
    struct agpu_record row;

    m->wish = wish;
    if (place == AGPU_MONITOR_WAITING) {
        m->stopping = false; /* the stop applied to a run that has ended */
    } else if (wish == AGPU_MONITOR_QUIT) {
        m->stopping = true;
    }
    agpu_record_begin_row(&row, "done");
    return put_row(m, &row);
}

static enum agpu_monitor_answer stop_cases(struct agpu_monitor *m)
{
    struct agpu_record row;

    m->stopping = true;
    agpu_record_begin_row(&row, "done");
    return put_row(m, &row);
}

/* ---- permissions ---- */

enum verb_place {
    ANYWHERE,
    NOT_IN_A_CASE, /* answered after the case */
    WAITING_ONLY,
    RUNNING_ONLY,
};

static const uint8_t places[AGPU_CTL_VERBS] = {
    [AGPU_CTL_ID] = ANYWHERE,
    [AGPU_CTL_STATUS] = ANYWHERE,
    [AGPU_CTL_REG_READ] = NOT_IN_A_CASE,
    [AGPU_CTL_REG_WRITE] = WAITING_ONLY,
    [AGPU_CTL_RING] = NOT_IN_A_CASE,
    [AGPU_CTL_RING_UP] = WAITING_ONLY,
    [AGPU_CTL_MEM] = NOT_IN_A_CASE,
    [AGPU_CTL_MEM_READ] = NOT_IN_A_CASE,
    [AGPU_CTL_CASES] = ANYWHERE,
    [AGPU_CTL_RUN] = WAITING_ONLY,
    [AGPU_CTL_SUBMIT] = WAITING_ONLY,
    [AGPU_CTL_GO] = WAITING_ONLY,
    [AGPU_CTL_STOP] = RUNNING_ONLY,
    [AGPU_CTL_QUIT] = ANYWHERE,
    [AGPU_CTL_REBOOT] = NOT_IN_A_CASE,
};

static enum agpu_monitor_answer carry_out(struct agpu_monitor *m, enum agpu_monitor_place place,
                                          const struct agpu_ctl_words *words, const void *bytes, size_t size)
{
    switch (words->verb) {
    case AGPU_CTL_ID:
        return answer_id(m);
    case AGPU_CTL_STATUS:
        return answer_status(m, place);
    case AGPU_CTL_REG_READ:
        return read_register(m, words);
    case AGPU_CTL_REG_WRITE:
        return write_register(m, words);
    case AGPU_CTL_RING:
        return answer_ring(m);
    case AGPU_CTL_RING_UP:
        return start_ring(m);
    case AGPU_CTL_MEM:
        return answer_memory(m);
    case AGPU_CTL_MEM_READ:
        return read_memory(m, words);
    case AGPU_CTL_CASES:
        return list_cases(m, words);
    case AGPU_CTL_RUN:
        return run_cases(m, words);
    case AGPU_CTL_SUBMIT:
        return submit_stream(m, words, bytes, size);
    case AGPU_CTL_GO:
        return make_wish(m, place, AGPU_MONITOR_GO);
    case AGPU_CTL_STOP:
        return stop_cases(m);
    case AGPU_CTL_QUIT:
        return make_wish(m, place, AGPU_MONITOR_QUIT);
    case AGPU_CTL_REBOOT:
        return make_wish(m, place, AGPU_MONITOR_REBOOT);
    case AGPU_CTL_VERBS:
        break;
    }
    return reject(m, "no such command");
}

enum agpu_monitor_answer agpu_monitor_ask(struct agpu_monitor *m, enum agpu_monitor_place place,
                                          const char *text, size_t text_size, const void *bytes, size_t size)
{
    struct agpu_ctl_words words;
    const char *wrong = agpu_ctl_read(text, text_size, &words);

    agpu_text_begin(&m->text, m->rows, sizeof m->rows);
    m->size = 0;
    if (wrong != NULL) {
        return reject(m, wrong);
    }
    if (size != 0 && words.verb != AGPU_CTL_SUBMIT) {
        return reject(m, "only submit takes a payload");
    }
    if (places[words.verb] == NOT_IN_A_CASE && place == AGPU_MONITOR_DURING) {
        return AGPU_MONITOR_LATER;
    }
    if (places[words.verb] == WAITING_ONLY && place != AGPU_MONITOR_WAITING) {
        return reject(m, place == AGPU_MONITOR_AFTER ? "the cases have run and the image is exiting: "
                                                       "control=wait makes it wait for requests instead"
                                                     : "not allowed while cases run: with control=wait the "
                                                       "image takes this before and after the cases");
    }
    if (places[words.verb] == RUNNING_ONLY &&
        (place == AGPU_MONITOR_WAITING || place == AGPU_MONITOR_AFTER)) {
        return reject(m, "no cases run");
    }
    return carry_out(m, place, &words, bytes, size);
}
