/* service.c: connects one server, one monitor, and the running case. */
#include "efi/control/service.h"

#include <string.h>

#include "efi/boot_id.h"
#include "efi/clock.h"
#include "efi/control/serial_sessions.h"
#include "efi/heap.h"
#include "efi/machine.h"
#include "efi/net/control_tcp.h"
#include "efi/net/net.h"
#include "efi/net/seal.h"
#include "efi/serial.h"
#include "mbedtls/sha256.h"

static struct agpu_ctl_server *server; /* NULL: control is off */
static struct agpu_monitor *monitor;
static struct agpu_serial_sessions *on_serial; /* NULL: no control over the serial port */
static struct agpu_stream *records;
static char welcome[200];
static uint64_t asking; /* the client whose request is being carried out; 0: none */
static const struct agpu_fixture *inner;
static struct agpu_fixture outer;

/* Each nonce is a hash of a secret seed, a counter and the time stamp counter. */
static struct {
    uint8_t seed[32];
    uint64_t counter, tsc;
} nonces;

static void make_nonce(uint8_t out[AGPU_WIRE_NONCE])
{
    uint8_t hash[32];

    nonces.counter++;
    nonces.tsc = agpu_tsc();
    mbedtls_sha256((const unsigned char *)&nonces, sizeof nonces, hash, 0);
    memcpy(out, hash, AGPU_WIRE_NONCE);
}

/* Sends a waiting client the result of each case. */
static void forward_end(void *ctx, const char *packet, size_t length)
{
    const char *text = memchr(packet, ';', length);

    (void)ctx;
    if (asking == 0 || text == NULL) {
        return;
    }
    text++;
    length -= (size_t)(text - packet);
    if (length > 5 && memcmp(text, "end ", 4) == 0) {
        agpu_ctl_note(server, asking, text, length - 1 < AGPU_CTL_NOTE_MAX ? length - 1 : AGPU_CTL_NOTE_MAX);
    }
}

static void warn_control(const char *text)
{
    agpu_stream_log(records, AGPU_LOG_WARNING, text);
}

static void describe_welcome(const struct agpu_monitor_config *config)
{
    struct agpu_record row;

    agpu_record_begin_row(&row, "welcome");
    agpu_record_string(&row, "build", config->build);
    agpu_record_string(&row, "boot_id", config->boot);
    agpu_record_finish(&row);
    memcpy(welcome, row.buffer, row.text.length < sizeof welcome ? row.text.length : sizeof welcome - 1);
}

static void serial_came(void *ctx, const char *bytes, size_t size)
{
    agpu_serial_sessions_input(ctx, bytes, size, agpu_clock_ns(NULL));
}

static size_t serial_next_line(void *ctx, char text[AGPU_SERIAL_OUTPUT_MAX])
{
    return agpu_serial_sessions_output(ctx, agpu_clock_ns(NULL), text);
}

static void open_serial(void)
{
    const char *failed;

    on_serial = agpu_heap_alloc(NULL, sizeof *on_serial);
    if (on_serial == NULL) {
        warn_control("out of memory: control over the serial port is off");
        return;
    }
    agpu_serial_sessions_init(on_serial, server);
    failed = agpu_serial_talk(
        &(struct agpu_serial_peer){.ctx = on_serial, .came = serial_came, .next_line = serial_next_line});
    if (failed != NULL) {
        warn_control(failed);
        agpu_heap_free(NULL, on_serial);
        on_serial = NULL;
    }
}

void agpu_control_open(struct agpu_stream *stream, const struct agpu_config *config,
                       const struct agpu_monitor_config *monitor_config)
{
    struct agpu_ctl_config ctl_config = {.hash = agpu_seal_hash, .nonce = make_nonce, .welcome = welcome};
    struct agpu_monitor_config own = *monitor_config;

    records = stream;
    if (config->control == AGPU_CONTROL_OFF) {
        return;
    }
    if (!config->keyed) {
        warn_control("control= without key=: control is off; set key= to 64 hexadecimal digits (openssl rand "
                     "-hex 32) and give agpu ctl --key-file the same");
        return;
    }
    server = agpu_heap_alloc(NULL, sizeof *server);
    monitor = agpu_heap_alloc(NULL, sizeof *monitor);
    if (server == NULL || monitor == NULL) {
        warn_control("out of memory: control is off");
        agpu_heap_free(NULL, server);
        agpu_heap_free(NULL, monitor);
        server = NULL;
        return;
    }
    own.now_ns = agpu_clock_ns;
    memcpy(ctl_config.key, config->key, sizeof ctl_config.key);
    agpu_boot_random(nonces.seed);
    describe_welcome(&own);
    agpu_ctl_init(server, &ctl_config);
    agpu_monitor_init(monitor, &own);
    agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "control", .packet = forward_end});
    agpu_control_tcp_use(server, config->control_port);
    if (config->control_serial) {
        open_serial();
    }
}

bool agpu_control_is_open(void)
{
    return server != NULL;
}

bool agpu_control_is_reachable(void)
{
    return server != NULL && (on_serial != NULL || agpu_net_state() != AGPU_NET_OFF);
}

bool agpu_control_sent(void)
{
    return server == NULL ||
           (agpu_control_tcp_sent() && (on_serial == NULL || agpu_serial_sessions_sent(on_serial)));
}

void agpu_control_leave(void)
{
    if (server != NULL) {
        agpu_ctl_leave(server, "the image is exiting: its cases have run, or a client sent quit");
    }
}

/* Answers requests for no further cases, also from peers that are not the client. */
static void answer_halt(enum agpu_monitor_place place)
{
    enum agpu_monitor_answer how;

    if (agpu_ctl_take_halt(server)) {
        how = agpu_monitor_ask(monitor, place, "stop", 4, NULL, 0);
        agpu_ctl_answer_halt(server, how == AGPU_MONITOR_GOOD, monitor->rows, monitor->text.length);
    }
}

static void answer(enum agpu_monitor_place place)
{
    static uint8_t bytes[AGPU_CTL_REQUEST_MAX];
    struct agpu_ctl_asked asked;
    enum agpu_monitor_answer how;
    uint64_t before = asking;

    if (server == NULL) {
        return;
    }
    answer_halt(place);
    if (!agpu_ctl_request(server, &asked) || asked.client == asking) {
        return;
    }
    asking = asked.client;
    /* Carrying out a request may poll the network first, and bytes of another client, not yet proven, may
     * then overwrite these. */
    memcpy(bytes, asked.bytes, asked.size);
    how = agpu_monitor_ask(monitor, place, asked.text, asked.text_size, bytes, asked.size);
    asking = before;
    if (how != AGPU_MONITOR_LATER) {
        agpu_ctl_reply(server, asked.client, how == AGPU_MONITOR_GOOD, monitor->rows, monitor->text.length,
                       monitor->bytes, monitor->size);
    }
}

void agpu_control_serve(void)
{
    answer(AGPU_MONITOR_WAITING);
}

void agpu_control_finish(void)
{
    answer(AGPU_MONITOR_AFTER);
}

void agpu_control_poll(void)
{
    if (server != NULL && monitor->running != NULL) {
        answer(AGPU_MONITOR_DURING);
    }
}

enum agpu_monitor_wish agpu_control_wish(void)
{
    enum agpu_monitor_wish wish = AGPU_MONITOR_NOTHING;

    if (server != NULL) {
        wish = monitor->wish;
        monitor->wish = AGPU_MONITOR_NOTHING;
    }
    return wish;
}

bool agpu_control_wants_reboot(void)
{
    return server != NULL && monitor->wish == AGPU_MONITOR_REBOOT;
}

/* ---- cases ---- */

static enum agpu_status open_for_cases(struct agpu_env *env, const struct agpu_fixture_config *config,
                                       struct agpu_fixture_device *out, struct agpu_text *why)
{
    const enum agpu_status status = inner->open(env, config, out, why);

    if (status == AGPU_OK) {
        monitor->running = env;
    }
    return status;
}

static void close_for_cases(struct agpu_env *env)
{
    monitor->running = NULL;
    inner->close(env);
}

static bool prepare_case(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why)
{
    if (monitor->stopping) {
        why->result = AGPU_SKIP;
        agpu_text_string(&why->text, "not run: agpu ctl stopped the run");
        return false;
    }
    return inner->prepare(env, item, why);
}

const struct agpu_fixture *agpu_control_fixture(const struct agpu_fixture *of)
{
    if (server == NULL) {
        return of;
    }
    inner = of;
    outer = *of;
    outer.open = open_for_cases;
    outer.close = close_for_cases;
    outer.prepare = prepare_case;
    return &outer;
}

void agpu_control_case(const char *id)
{
    if (server == NULL) {
        return;
    }
    agpu_format_line(monitor->current, sizeof monitor->current, "%s", id);
    answer(AGPU_MONITOR_BETWEEN);
}

void agpu_control_count(const struct agpu_summary *summary)
{
    if (server != NULL) {
        monitor->last = *summary;
    }
}

void agpu_control_release(void)
{
    if (server != NULL) {
        agpu_monitor_close(monitor);
    }
}
