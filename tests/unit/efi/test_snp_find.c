/* test_snp_find.c: finds network cards among the handles of the firmware. */
#include <string.h>

#include "efi/net/snp.h"
#include "efi/pci_io.h"
#include "tests/unit/test.h"

#define HANDLES_MAX 24

/* A handle: a card, or a protocol that the network stack created on top of one. */
struct fake_handle {
    EFI_SIMPLE_NETWORK snp;
    EFI_SIMPLE_NETWORK_MODE mode;
    EFI_DEVICE_PATH last;
    uint32_t pci_class; /* of the PCI function; 0: none */
    unsigned connects;
};

static struct fake_handle fakes[HANDLES_MAX];
static EFI_HANDLE handles[HANDLES_MAX];
static unsigned fake_count;

/* ---- the firmware ---- */

static EFI_STATUS EFIAPI connect(EFI_HANDLE controller, EFI_HANDLE *driver, EFI_DEVICE_PATH *rest,
                                 BOOLEAN recursive)
{
    assert_null(driver);
    assert_null(rest);
    assert_false(recursive); /* true would start the network stack, which takes frames */
    ((struct fake_handle *)controller)->connects++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
    assert_ptr_equal(memory, handles);
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;
EFI_GUID agpu_guid_snp, agpu_guid_nii, agpu_guid_pci_io;

EFI_HANDLE *agpu_handles(EFI_GUID *guid, UINTN *count)
{
    *count = guid == &agpu_guid_nii ? 0 : fake_count;
    return *count ? handles : NULL;
}

void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid)
{
    struct fake_handle *fake = handle;

    if (guid == &agpu_guid_pci_io) {
        return fake->pci_class ? fake : NULL;
    }
    return &fake->snp;
}

const EFI_DEVICE_PATH *agpu_last_node(EFI_HANDLE handle)
{
    return &((struct fake_handle *)handle)->last;
}

uint32_t agpu_pci_io_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size)
{
    (void)ctx;
    assert_int_equal(offset, 0x0B);
    assert_int_equal(size, 1);
    return ((struct fake_handle *)function->handle)->pci_class;
}

/* Adds a handle with a MAC that ends in number. */
static struct fake_handle *add(uint8_t number, uint8_t last_subtype)
{
    struct fake_handle *fake = &fakes[fake_count];

    *fake = (struct fake_handle){.snp.Mode = &fake->mode,
                                 .mode.HwAddressSize = 6,
                                 .last = {.Type = MESSAGING_DEVICE_PATH, .SubType = last_subtype}};
    fake->mode.CurrentAddress.Addr[0] = 0x52;
    fake->mode.CurrentAddress.Addr[5] = number;
    handles[fake_count++] = fake;
    return fake;
}

static int setup(void **state)
{
    (void)state;
    fake_count = 0;
    boot = (EFI_BOOT_SERVICES){.ConnectController = connect, .FreePool = free_pool};
    return 0;
}

/* ---- tests ---- */

FIXTURE(setup, NULL);

TEST(no_card)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];

    assert_int_equal(agpu_snp_find(cards), 0);
}

TEST(only_network_functions_are_started)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];

    struct fake_handle *display = add(1, MSG_MAC_ADDR_DP), *network = add(2, MSG_MAC_ADDR_DP);
    display->pci_class = 0x03;
    network->pci_class = 0x02;
    agpu_snp_find(cards);
    assert_int_equal(display->connects, 0);
    assert_int_equal(network->connects, 1);
}

TEST(one_card_with_three_handles_is_one_card)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];

    add(1, MSG_IPv4_DP);
    struct fake_handle *itself = add(1, MSG_MAC_ADDR_DP);
    add(1, MSG_IPv6_DP);
    struct fake_handle *other = add(2, MSG_MAC_ADDR_DP);
    assert_int_equal(agpu_snp_find(cards), 2);
    assert_ptr_equal(cards[0].handle, itself);
    assert_ptr_equal(cards[1].handle, other);
    assert_int_equal(cards[1].mac[5], 2);
}

TEST(what_is_no_ethernet_is_left_out)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];

    add(1, MSG_MAC_ADDR_DP)->mode.HwAddressSize = 20; /* InfiniBand */
    add(2, MSG_MAC_ADDR_DP)->snp.Mode = NULL;
    assert_int_equal(agpu_snp_find(cards), 0);
}

TEST(more_cards_than_places)
{
    struct agpu_snp_card cards[AGPU_SNP_CARDS_MAX];

    for (unsigned i = 0; i < AGPU_SNP_CARDS_MAX + 3; i++) {
        add((uint8_t)i, MSG_MAC_ADDR_DP);
    }
    assert_int_equal(agpu_snp_find(cards), AGPU_SNP_CARDS_MAX);
}
