/* fuzz_lan.c: fuzz target of frames received by the image's network card, through efi/net and lwIP; and of
 * agpu.cfg. If the first byte is odd, the input is the text of a configuration. Otherwise the first byte
 * selects a configuration of the image, and frames follow, each after two bytes of length; with DHCP the first
 * frame may be the settings that come with the address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"

#define FRAMES_MAX 200
/* Bits of the first byte. */
#define DHCP     0x02 /* as number 1 of the configurations */
#define SETTINGS 0x80
#define KEYED                                                                                                \
    "netconsole=+r@/,6666@10.0.0.1/\nip=10.0.0.2/24\ntoken=t\n"                                              \
    "key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"

static struct peers peers;
static const struct lan_peer lan = {.ctx = &peers, .frame = peers_frame};

static void ignore_problem(void *ctx, const struct agpu_config_problem *problem)
{
    (void)ctx, (void)problem;
}

static void read_config(const uint8_t *data, size_t size)
{
    static struct agpu_config config;
    char *text = malloc(size + 1); /* exactly as large, so that a read past the end is detected */

    if (text != NULL) {
        memcpy(text, data, size);
        agpu_config_defaults(&config);
        agpu_config_parse(&config, text, size, ignore_problem, NULL);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const configs[] = {"netconsole=+@/,6666@10.0.0.1/\nip=10.0.0.2/24\n",
                                          "netconsole=+@/,6666@10.0.0.1/\nip=dhcp\n", KEYED,
                                          "netconsole=+@/,6666@192.0.2.1/\nip=10.0.0.2/24,gw=10.0.0.1\n"};
    char settings[256];
    size_t at = 1;

    if (size < 1) {
        return 0;
    }
    if (data[0] & 1) {
        read_config(data + 1, size - 1);
        return 0;
    }
    peers = (struct peers){.answers = true, .serves_dhcp = true, .lease_s = 60};
    if (data[0] == (SETTINGS | DHCP) && size > 3) {
        const size_t length = data[1] < size - 3 ? data[1] : size - 3;

        memcpy(settings, data + 3, length);
        settings[length] = '\0';
        peers.settings = settings;
        at += 2 + length;
    }
    lan_start(peers.settings != NULL ? "ip=dhcp\n" : configs[data[0] / 2 % 4], &lan);
    lan_say("first");
    lan_run(20); /* the target's address is resolved by now, unless DHCP is still running */
    for (unsigned i = 0; i < FRAMES_MAX && at + 2 < size; i++) {
        size_t length = (size_t)data[at] | (size_t)data[at + 1] << 8;

        at += 2;
        length = length < size - at ? length : size - at;
        lan_deliver(data + at, length < LAN_FRAME_MAX ? length : LAN_FRAME_MAX);
        at += length;
        lan_say("between");
        lan_run(1 + i % 3);
    }
    lan_run(30);
    if (peers.diverted != 0 && data[0] / 2 % 4 != 1) {
        abort(); /* less than five seconds: the previous owner still has the address */
    }
    lan_stop();
    return 0;
}
