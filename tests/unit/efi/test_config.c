/* test_config.c: agpu.cfg: each key, valid and invalid values, unusual files. */
#include <string.h>

#include "efi/config.h"
#include "tests/unit/test.h"

#define PROBLEMS_MAX 8

/* Problems that the parser reported. */
struct reports {
    unsigned count;
    unsigned lines[PROBLEMS_MAX];
    char texts[PROBLEMS_MAX][AGPU_CONFIG_LINE_SHOWN + 1];
};

static void report(void *ctx, const struct agpu_config_problem *problem)
{
    struct reports *reports = ctx;

    assert_in_range(reports->count, 0, PROBLEMS_MAX - 1);
    assert_in_range(problem->text.size, 1, AGPU_CONFIG_LINE_SHOWN);
    assert_non_null(problem->reason);
    reports->lines[reports->count] = problem->line;
    memcpy(reports->texts[reports->count], problem->text.at, problem->text.size);
    reports->texts[reports->count++][problem->text.size] = 0;
}

static struct reports parse_bytes(struct agpu_config *config, const char *text, size_t size)
{
    struct reports reports = {0};

    agpu_config_defaults(config);
    agpu_config_parse(config, text, size, report, &reports);
    return reports;
}

static struct agpu_config good(const char *text)
{
    struct agpu_config config;

    assert_int_equal(parse_bytes(&config, text, strlen(text)).count, 0);
    return config;
}

/* The parser reports the line and leaves all defaults unchanged. */
static void bad(const char *text)
{
    struct agpu_config config, defaults;

    memset(&config, 0, sizeof config);
    memset(&defaults, 0, sizeof defaults);
    agpu_config_defaults(&defaults);
    struct reports reports = parse_bytes(&config, text, strlen(text));
    if (reports.count != 1) {
        fail_msg("%u problems in: %s", reports.count, text);
    }
    assert_string_equal(reports.texts[0], text);
    assert_int_equal(reports.lines[0], 1);
    assert_memory_equal(&config, &defaults, sizeof config);
}

TEST(defaults_send_to_the_local_network_and_power_off)
{
    struct agpu_config config = good("");
    assert_true(config.netconsole.enabled && config.netconsole.extended);
    assert_int_equal(agpu_ip_v4(&config.netconsole.target.ip), UINT32_MAX);
    assert_int_equal(config.netconsole.target.port, 6666);
    assert_int_equal(config.ip_source, AGPU_IP_DHCP);
    assert_int_equal(config.at_end, AGPU_AT_END_POWEROFF);
    assert_int_equal(config.log_level, AGPU_LOG_INFO);
    assert_false(agpu_trace_on(&config.trace));
    assert_int_equal(config.dhcp_timeout_ms, 5000);
    assert_string_equal(config.filter, "");
}

/* Each default is a line that the image can read; "" means no line and all zero. */
TEST(every_default_is_understood)
{
    static const char *const lines[][2] = {
#define ROW(key, usual, ...) {usual, #key "=" usual "\n"},
#define NUMBER(...)          ROW(__VA_ARGS__)
#define WORD(...)            ROW(__VA_ARGS__)
#define TEXT(...)            ROW(__VA_ARGS__)
#define READ(...)            ROW(__VA_ARGS__)
#include "efi/config.def"
#define SETTING(name, key, usual, ...) ROW(key, usual)
#include "tests/cases/rig/settings.def"
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i][0][0] != '\0') {
            good(lines[i][1]);
        }
    }
}

TEST(keys_are_read)
{
    struct agpu_config config = good(
        "# comment\n"
        "netconsole=+4444@/eth1,9353@10.0.0.1/12:34:56:78:9a:bc\r\n"
        "  ip = 192.168.1.5/24,gw=192.168.1.1 \n"
        "\n"
        "filter=ring.*,fence.[a-c]*\nafter=ring.wrap.slots\n"
        "at_end=halt\nlog_level=debug\nserial=off\ndevice=model\ndma_high="
        "on\ncapture=failures\ncapture_to=stream\nreplay=/A.CAP\nreplay_until=9\nrepeat=90s\nshuffle=17\n"
        "dhcp_timeout_ms=250\ncase_timeout_s=7\nrun_timeout_s=900");
    assert_int_equal(config.netconsole.target.port, 9353);
    assert_int_equal(config.ip_source, AGPU_IP_STATIC);
    assert_int_equal(agpu_ip_v4(&config.ip), 0xC0A80105);
    assert_int_equal(config.ip_bits, 24);
    assert_int_equal(agpu_ip_v4(&config.gateway), 0xC0A80101);
    assert_string_equal(config.filter, "ring.*,fence.[a-c]*");
    assert_string_equal(config.after, "ring.wrap.slots");
    assert_int_equal(config.at_end, AGPU_AT_END_HALT);
    assert_int_equal(config.log_level, AGPU_LOG_DEBUG);
    assert_int_equal(config.serial, AGPU_SERIAL_OFF);
    assert_true(config.model);
    assert_int_equal(config.dma_high, AGPU_DMA_HIGH_ON);
    assert_int_equal(config.capture, AGPU_CAPTURE_FAILURES);
    assert_int_equal(config.capture_to, AGPU_CAPTURE_TO_STREAM);
    assert_string_equal(config.replay, "/A.CAP");
    assert_int_equal(config.replay_until, 9);
    assert_int_equal(config.repeat, 90);
    assert_true(config.repeat_seconds);
    assert_int_equal(config.shuffle, 17);
    assert_int_equal(config.dhcp_timeout_ms, 250);
    assert_int_equal(config.case_timeout_s, 7);
    assert_int_equal(config.run_timeout_s, 900);
    config = good("serial=spare\n");
    assert_int_equal(config.serial, AGPU_SERIAL_SPARE);
    config = good("serial=spare\nserial=auto\n");
    assert_int_equal(config.serial, AGPU_SERIAL_AUTO);
}

#define DIGITS "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"

TEST(token_and_key_are_read)
{
    struct agpu_config config = good("token=lab-7_A\nkey=" DIGITS "\n");

    assert_string_equal(config.token, "lab-7_A");
    assert_true(config.keyed);
    for (unsigned i = 0; i < sizeof config.key; i++) {
        assert_int_equal(config.key[i], i);
    }
    config = good("token=x\nkey=" DIGITS "\ntoken=\nkey=\n");
    assert_string_equal(config.token, "");
    assert_false(config.keyed);
    bad("token=a.b");
    bad("token=123456789012345678901234567890123");
}

TEST(the_stream_is_off_on_or_at_a_port)
{
    assert_false(good("").stream);
    assert_true(good("stream=on\n").stream);
    assert_int_equal(good("stream=7000\nstream=on\n").stream_port, 0);
    assert_int_equal(good("stream=7000\n").stream_port, 7000);
    assert_true(good("stream=7000\n").stream);
    assert_false(good("stream=on\nstream=off\n").stream);
    bad("stream=0");
    bad("stream=65536");
    bad("stream=yes");
}

/* The text travels over the network, in a warning. */
TEST(control_is_off_on_or_waits)
{
    assert_int_equal(good("").control, AGPU_CONTROL_OFF);
    assert_int_equal(good("control=on\n").control, AGPU_CONTROL_ON);
    assert_int_equal(good("control=on\n").control_port, 6668);
    assert_int_equal(good("control=wait,7000\n").control, AGPU_CONTROL_WAIT);
    assert_int_equal(good("control=wait,7000\n").control_port, 7000);
    assert_int_equal(good("control=wait\ncontrol=off\n").control, AGPU_CONTROL_OFF);
    assert_false(good("control=wait,7000\n").control_serial);
    assert_true(good("control=wait,serial\n").control_serial);
    assert_int_equal(good("control=wait,serial\n").control_port, 6668);
    assert_true(good("control=on,7000,serial\n").control_serial);
    assert_int_equal(good("control=on,serial,7000\n").control_port, 7000);
    bad("control=on,serial,");
    bad("control=serial");
    bad("control=yes");
    bad("control=on,");
    bad("control=on,0");
    bad("control=on,65536");
    bad("control=7000");
}

TEST(other_targets_are_read)
{
    struct agpu_config config =
        good("target=10.0.0.9, "
             "[fd00::9]:7777,collector.lab:99\ndns=fd00::53\nvlan=4094\nip=fd00::5/64,gw=fe80::1");

    assert_int_equal(config.more_target_count, 3);
    assert_int_equal(agpu_ip_v4(&config.more_targets[0].ip), 0x0A000009);
    assert_int_equal(config.more_targets[0].port, 6666);
    assert_true(agpu_ip_is_v6(&config.more_targets[1].ip));
    assert_int_equal(config.more_targets[1].port, 7777);
    assert_string_equal(config.more_targets[2].name, "collector.lab");
    assert_int_equal(config.more_targets[2].port, 99);
    assert_true(agpu_ip_is_v6(&config.dns) && agpu_ip_is_v6(&config.ip) &&
                agpu_ip_is_link_local(&config.gateway));
    assert_int_equal(config.ip_bits, 64);
    assert_int_equal(config.vlan, 4094);
    assert_int_equal(good("target=fd00::9").more_target_count, 1);
    assert_int_equal(good("target=10.0.0.9\ntarget=").more_target_count, 0);
    assert_int_equal(good("vlan=7\nvlan=off").vlan, 0);
    bad("target=a,b,c,d");
    bad("target=a,,b");
    bad("target=10.0.0.9:0");
    bad("target=10.0.0.9:66666");
    bad("target=[fd00::9");
    bad("target=[fd00::9]7");
    bad("target=[fd00::9]:");
    bad("dns=lab");
    bad("vlan=0");
    bad("vlan=4095");
    bad("ip=fd00::5/129");
    bad("ip=ff02::1/64");
    bad("ip=fd00::5/64,gw=10.0.0.1");
}

TEST(a_key_with_a_slip_is_not_shown)
{
    static const char text[] = "key=g" DIGITS "\nkey" DIGITS "\nkey=00\nkey=" DIGITS "00\n";
    struct agpu_config config;
    const struct reports reports = parse_bytes(&config, text, sizeof text - 1);

    assert_int_equal(reports.count, 4);
    for (unsigned i = 0; i < reports.count; i++) {
        assert_string_equal(reports.texts[i], "key");
    }
    assert_false(config.keyed);
}

TEST(settings_of_the_driver_are_read)
{
    struct agpu_config config =
        good("budget_mib=128\nvram_mib=16\ntdr_delay_ms = 60000\ntdr_limit=8\ndynamic_guest_backed=on\n"
             "pretend_abi=1.2\npretend_features=default,-transfer\nwddm=2.9\nvidmm_caps=0x10\n"
             "trace_file=\\EFI\\AGPU\\trace.log\nbudget = draw_rate>=3\nbudget=draw_ns_p50<=4");
    const struct agpu_settings *settings = &config.settings;
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_BUDGET_MIB), 128);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_VRAM_MIB), 16);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_TDR_DELAY_MS), 60000);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_TDR_LIMIT), 8);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_DYNAMIC_GUEST_BACKED), 1);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_PRETEND_ABI), 2);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_PRETEND_FEATURES) & 0x3F, 0x2F);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_WDDM), AGPU_WDDM_2_9);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_VIDMM_CAPS), 0x10);
    assert_string_equal(config.trace_file, "\\EFI\\AGPU\\trace.log");
    assert_int_equal(config.budgets.count, 2);
    assert_string_equal(config.budgets.entries[1].name, "draw_ns_p50");
    /* A setting that is not stated has its default. */
    assert_false(agpu_setting_is_stated(settings, AGPU_SETTING_ALLOCATION_LIST));
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_ALLOCATION_LIST), 1024);
    assert_int_equal(agpu_setting(settings, AGPU_SETTING_PRESENT_LATENCY), 3);
    assert_string_equal(good("trace_file=off").trace_file, "");
}

TEST(settings_have_bounds)
{
    static const char *const lines[] = {
        "budget_mib=127",
        "budget=draw_rat>=1",
        "budget_mib=2049",
        "vram_mib=4097",
        "dma_buffer_kib=15",
        "dma_buffer_kib=4097",
        "dma_buffers=1",
        "dma_buffers=65",
        "max_dma_kib=255",
        "max_dma_kib=262145",
        "allocation_list=63",
        "allocation_list=65536",
        "instances=1",
        "instances=9",
        "tdr_delay_ms=49",
        "tdr_delay_ms=60001",
        "tdr_limit=0",
        "tdr_limit=9",
        "tdr_window_s=0",
        "tdr_window_s=3601",
        "dynamic_guest_backed=1",
        "present_latency=0",
        "present_latency=17",
        "pretend_abi=2.0",
        "pretend_abi=1.",
        "pretend_abi=1.65536",
        "pretend_features=colour",
        "pretend_features=raster",
        "wddm=1.4",
        "vidmm_caps=0x",
        "vidmm_caps=4294967296",
        "paging_node=-1",
        "multi_engine_aware=yes",
        "budget_mib=",
        "trace_file=",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bad(lines[i]);
    }
}

TEST(every_word_is_known)
{
    assert_int_equal(good("at_end=poweroff").at_end, AGPU_AT_END_POWEROFF);
    assert_int_equal(good("at_end=reboot").at_end, AGPU_AT_END_REBOOT);
    assert_int_equal(good("at_end=shell").at_end, AGPU_AT_END_SHELL);
    assert_int_equal(good("log_level=error").log_level, AGPU_LOG_ERROR);
    assert_int_equal(good("log_level=warning").log_level, AGPU_LOG_WARNING);
    assert_int_equal(good("trace=calls").trace.level, AGPU_TRACE_CALLS);
    assert_int_equal(good("trace=calls,state").trace.level, AGPU_TRACE_STATE);
    assert_int_equal(good("trace=state,calls").trace.level, AGPU_TRACE_STATE);
    assert_true(good("trace=resources").trace.resources);
    assert_int_equal(good("trace=resources").trace.level, AGPU_TRACE_OFF);
    assert_true(good("trace=caps,resources").trace.caps);
    const struct agpu_trace caps = good("trace=caps").trace, off = good("trace=state,caps\ntrace=off").trace;
    assert_true(agpu_trace_on(&caps));
    assert_false(agpu_trace_on(&off));
    assert_false(good("netconsole=off").netconsole.enabled);
    assert_int_equal(good("ip=10.0.0.1/8\nip=dhcp").ip_source, AGPU_IP_DHCP);
    assert_int_equal(good("ip=slaac").ip_source, AGPU_IP_SLAAC);
    assert_false(good("device=model\ndevice=any").model);
    /* The expected profile and the selection of functions are separate. */
    assert_string_equal(good("device=model").device, "");
    assert_string_equal(good("device=all").device, "all");
    assert_true(good("device=model\ndevice=all").model);
    assert_string_equal(good("device=all\ndevice=any").device, "all");
    assert_string_equal(good("device=all\ndevice= A3A0:0001 ,00:05.0 ").device, "A3A0:0001,00:05.0");
    assert_true(good("device=model,0001:1f:1f.7").model);
    assert_string_equal(good("device=0001:1f:1f.7,model").device, "0001:1f:1f.7");
    assert_int_equal(good("ip=10.1.2.3/32").ip_bits, 32);
    assert_int_equal(good("ip=10.1.2.3/1").ip_bits, 1);
}

TEST(bad_lines_are_reported_and_change_nothing)
{
    static const char *const lines[] = {
        "no equals sign",
        "=value",
        "colour=blue",
        "netconsole=10.0.0.1",
        "ip=10.0.0.1",
        "ip=10.0.0.1/0",
        "ip=10.0.0.1/33",
        "ip=10.0.0.256/24",
        "ip=10.0.0/24",
        "ip=0.0.0.0/24",
        "ip=10.0.0.1/24,gw=",
        "ip=10.0.0.1/24,10.0.0.2",
        "at_end=",
        "at_end=off",
        "log_level=7",
        "trace=",
        "trace=calls,",
        "trace=all",
        "trace=off,calls",
        "trace=callsstate",
        "serial=on",
        "device=fake",
        "device=",
        "device=all,",
        "device=all,gpu",
        "device=a3a0",
        "device=a3a0:1",
        "device=a3a0:00011",
        "device=00:04",
        "device=00:04.8",
        "device=00:20.0",
        "device=100:04.0",
        "device=00:04.0:1",
        "device=0:0:00:04.0",
        "device=10000:00:04.0",
        ("device=00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:04.0,00:"
         "04.0,00:04.0"),
        "dma_high=yes",
        "capture=on",
        "capture_to=disk",
        "replay=",
        "replay_until=last",
        "repeat=s",
        "repeat=5m",
        "repeat=1000001",
        "shuffle=-1",
        "dhcp_timeout_ms=-1",
        "dhcp_timeout_ms=600001",
        "dhcp_timeout_ms=99999999999999999999",
        "case_timeout_s=86401",
        "run_timeout_s=1s",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bad(lines[i]);
    }
}

TEST(problems_carry_their_line_number)
{
    struct agpu_config config;
    const char text[] = "\xEF\xBB\xBF# by a Windows editor\r\n\r\nwrong\r\nat_end=shell\r\nalso wrong";

    struct reports reports = parse_bytes(&config, text, sizeof text - 1);
    assert_int_equal(reports.count, 2);
    assert_int_equal(reports.lines[0], 3);
    assert_int_equal(reports.lines[1], 5);
    assert_string_equal(reports.texts[1], "also wrong");
    assert_int_equal(config.at_end, AGPU_AT_END_SHELL);
}

TEST(long_lines_stay_inside)
{
    struct agpu_config config;
    char text[2000];

    memset(text, 'x', sizeof text);
    struct reports reports = parse_bytes(&config, text, sizeof text);
    assert_int_equal(reports.count, 1);
    assert_int_equal(strlen(reports.texts[0]), AGPU_CONFIG_LINE_SHOWN);

    memcpy(text, "filter=", 7);
    assert_int_equal(parse_bytes(&config, text, 7 + AGPU_CONFIG_FILTER_MAX).count, 0);
    assert_int_equal(strlen(config.filter), AGPU_CONFIG_FILTER_MAX);
    assert_int_equal(parse_bytes(&config, text, 8 + AGPU_CONFIG_FILTER_MAX).count, 1);
    assert_string_equal(config.filter, "");
}

static void sources_are(const char *expected, const struct agpu_config *config)
{
    char buffer[1000];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_config_describe_sources(config, &text);
    assert_string_equal(buffer, expected);
}

TEST(each_value_has_its_source)
{
    static const char weak[] = "filter=a\nkey=\nserial=off\nvram_mib=64\nbudget_mib=1\n";
    static const char strong[] = "filter=b\nserial=what\nbudget_mib=256\ninstances=3\n";
    static const char quiet[] = "# nothing\n";
    struct reports reports = {0};
    struct agpu_config config;

    agpu_config_defaults(&config);
    sources_are("defaults", &config);
    agpu_config_source(&config, "options");
    agpu_config_parse(&config, strong, sizeof strong - 1, report, &reports);
    sources_are("filter,budget_mib,instances: options", &config);
    agpu_config_source(&config, "silence");
    agpu_config_parse(&config, quiet, sizeof quiet - 1, report, &reports);
    agpu_config_source(&config, "file");
    agpu_config_parse(&config, weak, sizeof weak - 1, report, &reports);
    sources_are("filter,budget_mib,instances: options; key,serial,vram_mib: file", &config);
    assert_int_equal(reports.count, 2); /* an invalid line does not count; a weaker source may set the key */
    assert_int_equal(config.serial, AGPU_SERIAL_OFF);
    assert_string_equal(config.filter, "b");
    assert_int_equal(agpu_setting(&config.settings, AGPU_SETTING_VRAM_MIB), 64);
    assert_int_equal(agpu_setting(&config.settings, AGPU_SETTING_BUDGET_MIB), 256);
}
