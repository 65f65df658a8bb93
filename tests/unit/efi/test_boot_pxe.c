/* test_boot_pxe.c: reads a file from a fake EFI_PXE_BASE_CODE_PROTOCOL whose server sends too much, too slowly, or
 * without an end. */
#include <stdlib.h>
#include <string.h>

#include "efi/boot_pxe.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "tests/unit/test.h"

#define MAX       65536u
#define LIMIT_NS  (20 * AGPU_NS_PER_S) /* for MAX bytes */
#define ENDLESS   1000000u             /* blocks: the test fails when the transfer is still alive then */
#define ACK_BYTES 30                   /* packet of options in front of the data */

const char agpu_file_missing[] = "no such file";

static struct {
    unsigned blocks, size; /* number of data packets, bytes in each */
    uint64_t ns;           /* time for each */
    EFI_STATUS status;     /* other end of the transfer than its success */
    bool no_callbacks;     /* the firmware does not accept the callback */
} server;

static uint64_t now_ns;
static unsigned blocks, sent;
static EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL *installed;
static bool makes_callbacks;
static char asked[AGPU_BOOT_NAME_MAX];

uint64_t agpu_clock_ns(void *ctx)
{
    (void)ctx;
    return now_ns;
}

void *agpu_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    blocks++;
    return calloc(1, size);
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    blocks -= memory != NULL;
    free(memory);
}

/* ---- the firmware ---- */

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;
EFI_GUID agpu_guid_loaded_image, agpu_guid_pxe;
EFI_HANDLE agpu_image = &boot;

static EFI_STATUS EFIAPI install(EFI_HANDLE *handle, EFI_GUID *guid, EFI_INTERFACE_TYPE type, VOID *interface)
{
    (void)guid, (void)type;
    assert_ptr_equal(*handle, &server);
    assert_null(installed);
    if (server.no_callbacks) {
        return EFI_INVALID_PARAMETER;
    }
    installed = interface;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI uninstall(EFI_HANDLE handle, EFI_GUID *guid, VOID *interface)
{
    (void)guid;
    assert_ptr_equal(handle, &server);
    assert_ptr_equal(interface, installed);
    assert_false(makes_callbacks); /* else the firmware would call what is no longer there */
    installed = NULL;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_parameters(EFI_PXE_BASE_CODE_PROTOCOL *this, BOOLEAN *arp, BOOLEAN *guid,
                                        UINT8 *ttl, UINT8 *tos, BOOLEAN *callback)
{
    (void)this, (void)arp, (void)guid, (void)ttl, (void)tos;
    assert_non_null(installed);
    makes_callbacks = *callback;
    return EFI_SUCCESS;
}

/* Reports a packet as the firmware does; false: the callback aborts. */
static bool receive(UINT32 size)
{
    return !makes_callbacks || installed->Callback(installed, EFI_PXE_BASE_CODE_FUNCTION_MTFTP, TRUE, size,
                                                   NULL) == EFI_PXE_BASE_CODE_CALLBACK_STATUS_CONTINUE;
}

static EFI_STATUS EFIAPI mtftp(EFI_PXE_BASE_CODE_PROTOCOL *this, EFI_PXE_BASE_CODE_TFTP_OPCODE operation,
                               VOID *buffer, BOOLEAN overwrite, UINT64 *size, UINTN *block_size,
                               EFI_IP_ADDRESS *address, UINT8 *name, EFI_PXE_BASE_CODE_MTFTP_INFO *info,
                               BOOLEAN no_buffer)
{
    (void)this, (void)overwrite, (void)block_size, (void)info, (void)no_buffer;
    assert_int_equal(operation, EFI_PXE_BASE_CODE_TFTP_READ_FILE);
    assert_int_equal(address->v4.Addr[3], 1);
    strcpy(asked, (const char *)name);
    if (!receive(ACK_BYTES)) {
        return EFI_ABORTED;
    }
    for (sent = 0; sent < server.blocks; sent++) {
        now_ns += server.ns;
        if (!receive(4 + server.size)) {
            return EFI_ABORTED;
        }
        if ((UINT64)(sent + 1) * server.size <= *size) {
            memset((char *)buffer + (size_t)sent * server.size, 'x', server.size);
        }
    }
    if (server.status != EFI_SUCCESS) {
        return server.status;
    }
    const UINT64 whole = (UINT64)server.blocks * server.size, had = *size;
    *size = whole;
    return whole > had ? EFI_BUFFER_TOO_SMALL : EFI_SUCCESS;
}

static EFI_PXE_BASE_CODE_MODE mode = {.Started = TRUE, .DhcpAckReceived = TRUE};
static EFI_PXE_BASE_CODE_PROTOCOL pxe_protocol = {
    .Mtftp = mtftp, .SetParameters = set_parameters, .Mode = &mode};
static EFI_LOADED_IMAGE loaded = {.DeviceHandle = &server};

void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid)
{
    return guid == &agpu_guid_pxe && handle == &server ? (void *)&pxe_protocol : (void *)&loaded;
}

/* ---- tests ---- */

static char *data, where[AGPU_BOOT_NAME_MAX];
static size_t size;

static const char *read_from(unsigned count, unsigned block_size, uint64_t ns)
{
    uint8_t mac[6];

    boot.InstallProtocolInterface = install;
    boot.UninstallProtocolInterface = uninstall;
    memcpy(mode.DhcpAck.Dhcpv4.BootpSiAddr, (uint8_t[]){192, 0, 2, 1}, 4);
    strcpy((char *)mode.DhcpAck.Dhcpv4.BootpBootFile, "lab/agpu.efi");
    assert_true(agpu_boot_pxe_open(mac));
    server.blocks = count;
    server.size = block_size;
    server.ns = ns;
    const char *failed = agpu_boot_pxe_read("agpu.cfg", MAX, where, &data, &size);
    assert_null(installed);
    assert_false(makes_callbacks);
    assert_int_equal(blocks, failed == NULL);
    assert_true((failed == NULL) == (data != NULL));
    return failed;
}

static void comes_whole(unsigned count, unsigned block_size, uint64_t ns)
{
    assert_null(read_from(count, block_size, ns));
    assert_int_equal(size, count * block_size);
    assert_true(size == 0 || (data[0] == 'x' && data[size - 1] == 'x'));
    agpu_heap_free(NULL, data);
}

static int reset_server(void **state)
{
    (void)state;
    memset(&server, 0, sizeof server);
    return 0;
}

FIXTURE(reset_server, NULL);

TEST(a_file_comes_whole)
{
    comes_whole(0, 512, 0);
    comes_whole(3, 10, AGPU_NS_PER_S);
    comes_whole(MAX / 512, 512, AGPU_NS_PER_MS); /* the longest */
    comes_whole(MAX / 8, 8, AGPU_NS_PER_MS);     /* the smallest blocks */
    assert_string_equal(asked, "lab/agpu.cfg");
    assert_string_equal(where, "tftp://192.0.2.1/lab/agpu.cfg");
    server.no_callbacks = true;
    comes_whole(3, 10, AGPU_NS_PER_S);
}

TEST(a_file_that_is_too_long_is_reported)
{
    assert_string_equal(read_from(MAX / 512 + 1, 512, 0),
                        "expected at most 65536 bytes, found more; shorten the file");
}

TEST(a_file_without_an_end_is_aborted)
{
    assert_string_equal(read_from(ENDLESS, 512, AGPU_NS_PER_MS),
                        "expected at most 65536 bytes, found more; shorten the file");
    assert_in_range(sent, MAX / 512, 2 * MAX / 512);
}

/* 20 blocks of 8 bytes, and the packet of options. */
TEST(a_server_that_drips_is_aborted)
{
    static const char late[] =
        "expected the file within 20 s, found 186 bytes and no end; check the TFTP server";

    now_ns = 5 * LIMIT_NS;
    assert_string_equal(read_from(ENDLESS, 8, AGPU_NS_PER_S), late);
    assert_int_equal(now_ns, 6 * LIMIT_NS);
    assert_null(read_from(3, 10, 0)); /* an abort does not fail the next file */
    agpu_heap_free(NULL, data);
}

TEST(errors_of_the_firmware_are_named)
{
    server.status = EFI_TFTP_ERROR;
    assert_ptr_equal(read_from(0, 512, 0), agpu_file_missing);
    server.status = EFI_TIMEOUT;
    assert_string_equal(read_from(1, 512, 0), "no answer");
    server.status = EFI_DEVICE_ERROR;
    assert_string_equal(read_from(1, 512, 0), "the firmware could not read it");
}
