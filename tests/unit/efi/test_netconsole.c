/* test_netconsole.c: Linux's netconsole= parameter, starting with its documented examples. */
#include <string.h>

#include "efi/netconsole.h"
#include "tests/unit/test.h"

static struct agpu_netconsole good(const char *text)
{
    struct agpu_netconsole out;
    const char *wrong = agpu_netconsole_parse((struct agpu_span){text, strlen(text)}, &out);

    if (wrong != NULL) {
        fail_msg("%s: %s", text, wrong);
    }
    return out;
}

TEST(linux_examples)
{
    static const uint8_t mac[6] = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc};

    struct agpu_netconsole full = good("4444@10.0.0.1/eth1,9353@10.0.0.2/12:34:56:78:9a:bc");
    assert_true(full.enabled);
    assert_false(full.extended || full.release);
    assert_int_equal(full.source_port, 4444);
    assert_int_equal(agpu_ip_v4(&full.source_ip), 0x0A000001);
    assert_int_equal(full.nic, 1);
    assert_int_equal(full.target.port, 9353);
    assert_int_equal(agpu_ip_v4(&full.target.ip), 0x0A000002);
    assert_true(full.has_target_mac);
    assert_memory_equal(full.target_mac, mac, sizeof mac);

    struct agpu_netconsole brief = good("@/,@10.0.0.2/");
    assert_int_equal(brief.source_port, 6665);
    assert_int_equal(brief.target.port, 6666);
    assert_true(agpu_ip_is_none(&brief.source_ip));
    assert_int_equal(brief.nic, -1);
    assert_false(brief.has_target_mac || brief.has_nic_mac);
}

TEST(flags_and_devices)
{
    static const uint8_t mac[6] = {0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};

    assert_true(good("+@/,@10.0.0.2/").extended);
    assert_true(good("+r@/,@10.0.0.2/").release);
    assert_int_equal(good("+r1@/,@10.0.0.2/").source_port, 1);
    assert_int_equal(good("@/eth255,@10.0.0.2/").nic, 255);
    struct agpu_netconsole by_mac = good("@/AA-BB-CC-dd-ee-ff,@10.0.0.2/");
    assert_true(by_mac.has_nic_mac);
    assert_memory_equal(by_mac.nic_mac, mac, sizeof mac);
    const struct agpu_netconsole without_slash = good("@/,@10.0.0.2");
    assert_int_equal(agpu_ip_v4(&without_slash.target.ip), 0x0A000002);
}

TEST(targets_by_ipv6_and_by_name)
{
    char buffer[64];
    struct agpu_text text;

    struct agpu_netconsole v6 = good("+4444@FD00::5/eth1,9353@fd00:0:0:1::2/12:34:56:78:9a:bc");
    assert_true(agpu_ip_is_v6(&v6.source_ip) && agpu_ip_is_v6(&v6.target.ip) && v6.has_target_mac);
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_ip(&text, &v6.target.ip);
    assert_string_equal(buffer, "fd00:0:0:1::2");
    struct agpu_netconsole local = good("@/,@fe80::1/");
    assert_true(agpu_ip_is_link_local(&local.target.ip));
    struct agpu_netconsole named = good("+@/,@collector-1.lab/");
    assert_true(agpu_ip_is_none(&named.target.ip));
    assert_string_equal(named.target.name, "collector-1.lab");
    assert_int_equal(named.target.port, 6666);
}

TEST(addresses_are_written_as_they_are_read)
{
    static const char *const same[] = {
        "10.0.0.1",        "::1",          "fe80::1", "1::", "1:2:3:4:5:6:7:8", "2001:db8::8:800:200c:417a",
        "1:0:2:3:4:5:6:7", "1::4:5:0:0:8", "ff02::1"};
    static const char *const wrong[] = {":",
                                        ":::",
                                        "1:2:3:4:5:6:7",
                                        "1:2:3:4:5:6:7:8:9",
                                        "1::2::3",
                                        "12345::",
                                        "1:2:3:4:5:6:7::8",
                                        "fe80::1%eth0",
                                        "::",
                                        "g::",
                                        "1:",
                                        ":1",
                                        "0.0.0.0",
                                        "1::2:"};
    struct agpu_ip ip;

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        char buffer[64];
        struct agpu_text text;

        assert_true(agpu_read_ip((struct agpu_span){same[i], strlen(same[i])}, &ip));
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_text_ip(&text, &ip);
        assert_string_equal(buffer, same[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (agpu_read_ip((struct agpu_span){wrong[i], strlen(wrong[i])}, &ip)) {
            fail_msg("accepted: %s", wrong[i]);
        }
    }
}

TEST(wrong_ones_are_refused)
{
    static const char *const texts[] = {
        "@/,@::/",
        "@/,@-a/",
        "@/,@a..b/",
        "@/,@a./",
        "@/,@a.7/",
        "@/,@a_b/",
        "",
        "10.0.0.2",
        "@/,@",
        "@/,@/",
        "@/,@0.0.0.0/",
        "r@/,@10.0.0.2/",
        "65536@/,@10.0.0.2/",
        "0@/,@10.0.0.2/",
        "x@/,@10.0.0.2/",
        "@10.0.0/,@10.0.0.2/",
        "@/wlan0,@10.0.0.2/",
        "@/eth,@10.0.0.2/",
        "@/eth256,@10.0.0.2/",
        "@/,70000@10.0.0.2/",
        "@/,@10.0.0.2.3/",
        "@/,@10.0.0.2/12:34:56:78:9a",
        "@/,@10.0.0.2/12:34:56:78:9a:bg",
        "@/,@10.0.0.2/12:34:56:78:9a:bc:de",
        "@/,@10.0.0.2/12.34.56.78.9a.bc",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct agpu_netconsole out, before;

        memset(&out, 0x5A, sizeof out);
        memset(&before, 0x5A, sizeof before);
        if (agpu_netconsole_parse((struct agpu_span){texts[i], strlen(texts[i])}, &out) == NULL) {
            fail_msg("accepted: %s", texts[i]);
        }
        assert_memory_equal(&out, &before, sizeof out);
    }
}

/* Reads each prefix of a valid text. The address sanitizer notices a read past its end. */
TEST(cut_texts_stay_inside)
{
    static const char whole[] = "+r4444@10.0.0.1/aa:bb:cc:dd:ee:ff,9353@10.0.0.2/12:34:56:78:9a:bc";

    for (size_t size = 0; size < sizeof whole; size++) {
        char *copy = test_malloc(size + 1);
        struct agpu_netconsole out;

        memcpy(copy + 1, whole, size);
        agpu_netconsole_parse((struct agpu_span){copy + 1, size}, &out);
        test_free(copy);
    }
}

TEST(addresses_are_written)
{
    static const uint8_t mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0xAB};
    char buffer[40];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_ipv4(&text, 0x0A00020F);
    agpu_text_char(&text, ' ');
    agpu_text_mac(&text, mac);
    assert_string_equal(buffer, "10.0.2.15 52:54:00:12:34:AB");
}
