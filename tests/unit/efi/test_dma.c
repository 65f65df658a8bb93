/* test_dma.c: DMA memory of a function with an IOMMU: the device gets the address that Map() returned for it, never the
 * processor's. High memory is mapped separately for each function. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "efi/dma.h"
#include "efi/dma_high.h"
#include "efi/heap.h"
#include "efi/memory_map.h"
#include "efi/pci_io.h"
#include "tests/unit/test.h"

#define PAGE     4096u
#define HIGH     UINT64_C(0x500000000000) /* address for the processor */
#define STRETCH  UINT64_C(0x4000000)
#define FOUR_GIB UINT64_C(0x100000000)

/* A function with its own IOMMU. */
struct translated_function {
    EFI_PCI_IO io;
    uint64_t next; /* device address of the next mapping; 0: mapping fails */
    bool pieces;   /* maps half of each request */
    uint64_t attributes;
    unsigned buffers, mappings; /* not yet freed */
};

static struct translated_function fakes[2];
static bool high_taken;

static EFI_STATUS EFIAPI allocate_buffer(EFI_PCI_IO *io, EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind,
                                         UINTN pages, VOID **out, UINT64 attributes)
{
    (void)type;
    (void)kind;
    (void)attributes;
    *out = aligned_alloc(PAGE, pages * PAGE);
    ((struct translated_function *)io)->buffers += *out != NULL;
    return *out != NULL ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static EFI_STATUS EFIAPI free_buffer(EFI_PCI_IO *io, UINTN pages, VOID *memory)
{
    (void)pages;
    ((struct translated_function *)io)->buffers--;
    free(memory);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI map(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_OPERATION operation, VOID *memory,
                             UINTN *size, EFI_PHYSICAL_ADDRESS *address, VOID **mapping)
{
    struct translated_function *fake = (struct translated_function *)io;

    assert_int_equal(operation, EfiPciIoOperationBusMasterCommonBuffer);
    if (fake->next == 0) {
        return EFI_UNSUPPORTED;
    }
    *address = fake->next;
    fake->next += *size + PAGE; /* with a gap, so that mappings are never adjacent by chance */
    *size = fake->pieces ? *size / 2 : *size;
    *mapping = memory;
    fake->mappings++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI unmap(EFI_PCI_IO *io, VOID *mapping)
{
    assert_non_null(mapping);
    ((struct translated_function *)io)->mappings--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI attributes(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_ATTRIBUTE_OPERATION operation,
                                    UINT64 value, UINT64 *result)
{
    struct translated_function *fake = (struct translated_function *)io;

    if (operation == EfiPciIoAttributeOperationGet) {
        *result = fake->attributes;
    } else if (operation == EfiPciIoAttributeOperationEnable) {
        fake->attributes |= value;
    } else {
        fake->attributes &= ~value;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *memory)
{
    (void)kind;
    assert_int_equal(type, AllocateAddress);
    assert_int_equal(pages, STRETCH / PAGE);
    assert_int_equal(*memory, HIGH);
    assert_false(high_taken);
    high_taken = true;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS memory, UINTN pages)
{
    (void)pages;
    assert_int_equal(memory, HIGH);
    high_taken = false;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES boot;
EFI_BOOT_SERVICES *agpu_boot = &boot;

EFI_PCI_IO *agpu_pci_io(const struct agpu_pci_ref *function)
{
    return function->handle;
}

void *agpu_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return calloc(1, size);
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

void agpu_memory_map_each(void (*look)(void *ctx, const EFI_MEMORY_DESCRIPTOR *range), void *ctx)
{
    const EFI_MEMORY_DESCRIPTOR range = {
        .Type = EfiConventionalMemory, .PhysicalStart = HIGH, .NumberOfPages = 2 * STRETCH / PAGE};

    look(ctx, &range);
}

/* Skips the program if the machine does not give these addresses. */
static int reserve_high(void **state)
{
    (void)state;
    if (mmap((void *)(uintptr_t)HIGH, STRETCH, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED) {
        exit(77);
    }
    return 0;
}

static int setup(void **state)
{
    (void)state;
    boot.AllocatePages = allocate_pages;
    boot.FreePages = free_pages;
    for (unsigned i = 0; i < 2; i++) {
        fakes[i] = (struct translated_function){.io = {.AllocateBuffer = allocate_buffer,
                                                       .FreeBuffer = free_buffer,
                                                       .Map = map,
                                                       .Unmap = unmap,
                                                       .Attributes = attributes}};
    }
    agpu_dma_high_configure(AGPU_DMA_HIGH_AUTO);
    agpu_dma_set_place(NULL, &(struct agpu_pci_ref){.handle = &fakes[0].io}, AGPU_DMA_ANYWHERE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agpu_dma_high_close();
    agpu_dma_high_give_back();
    assert_false(high_taken);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(fakes[i].buffers, 0);
        assert_int_equal(fakes[i].mappings, 0);
        assert_int_equal(fakes[i].attributes, 0);
    }
    return 0;
}

static struct agpu_dma take(unsigned which, size_t size)
{
    const struct agpu_pci_ref function = {.handle = &fakes[which].io};
    struct agpu_dma dma;

    assert_int_equal(agpu_dma_alloc(NULL, &function, size, &dma), AGPU_OK);
    for (size_t i = 0; i < dma.size; i++) {
        assert_int_equal(((uint8_t *)dma.cpu)[i], 0);
    }
    return dma;
}

GROUP_FIXTURE(reserve_high, NULL);

FIXTURE(setup, teardown);

TEST(device_gets_the_mapped_bytes)
{
    struct agpu_dma first, second;

    agpu_dma_high_configure(AGPU_DMA_HIGH_OFF);
    fakes[0].next = 0x1000000;
    first = take(0, 3 * PAGE + 1);
    second = take(0, 1);
    assert_int_equal(first.device_address, 0x1000000);
    assert_int_equal(first.size, 4 * PAGE);
    assert_int_equal(second.device_address, 0x1000000 + 5 * PAGE);
    assert_true((uintptr_t)first.cpu != first.device_address);
    agpu_dma_free(NULL, &first);
    agpu_dma_free(NULL, &second);
}

/* A common buffer that the device sees in two pieces is refused, and so is one without a mapping. */
TEST(what_cannot_be_mapped_is_refused)
{
    const struct agpu_pci_ref function = {.handle = &fakes[0].io};
    struct agpu_dma dma;

    agpu_dma_high_configure(AGPU_DMA_HIGH_OFF);
    assert_int_equal(agpu_dma_alloc(NULL, &function, PAGE, &dma), AGPU_ERR_PLATFORM);
    fakes[0].next = 0x1000000;
    fakes[0].pieces = true;
    assert_int_equal(agpu_dma_alloc(NULL, &function, 2 * PAGE, &dma), AGPU_ERR_PLATFORM);
    assert_null(dma.cpu);
}

/* One region of high memory, at a different device address for each of two functions with their own IOMMU. */
TEST(high_memory_is_mapped_for_each)
{
    const uint64_t base[2] = {3 * FOUR_GIB, 5 * FOUR_GIB};
    struct agpu_dma dma[2];

    for (unsigned i = 0; i < 2; i++) {
        const struct agpu_pci_ref function = {.handle = &fakes[i].io};

        fakes[i].next = base[i];
        assert_true(agpu_dma_set_place(NULL, &function, AGPU_DMA_HIGH));
        assert_false(agpu_dma_set_place(NULL, &function, AGPU_DMA_ACROSS)); /* HIGH remains selected */
        dma[i] = take(i, 2 * PAGE);
        assert_true((uintptr_t)dma[i].cpu >= HIGH && (uintptr_t)dma[i].cpu < HIGH + STRETCH);
        assert_int_equal(dma[i].device_address, base[i] + ((uintptr_t)dma[i].cpu - HIGH));
        assert_int_equal(fakes[i].attributes, EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE);
    }
    assert_true(dma[0].cpu != dma[1].cpu);
    for (unsigned i = 0; i < 2; i++) {
        agpu_dma_free(NULL, &dma[i]);
    }
    /* The memory stays allocated for the next run, and no function can access it until then. */
    agpu_dma_high_close();
    assert_true(high_taken);
    assert_int_equal(fakes[0].mappings + fakes[1].mappings, 0);
    assert_true(agpu_dma_set_place(NULL, &(struct agpu_pci_ref){.handle = &fakes[1].io}, AGPU_DMA_HIGH));
    dma[1] = take(1, PAGE);
    assert_true((uintptr_t)dma[1].cpu >= HIGH && (uintptr_t)dma[1].cpu < HIGH + STRETCH);
    agpu_dma_free(NULL, &dma[1]);
}

/* High memory that an IOMMU maps below 4 GiB is not high memory for the device. */
TEST(translated_down_is_not_high)
{
    const struct agpu_pci_ref function = {.handle = &fakes[0].io};

    fakes[0].next = 0x1000000;
    assert_false(agpu_dma_set_place(NULL, &function, AGPU_DMA_HIGH));
    assert_int_equal(fakes[0].mappings, 0);
}

/* Without a mapping the device gets the processor's address only if the configuration says that they are equal. */
TEST(unmapped_high_memory_needs_to_be_asked_for)
{
    const struct agpu_pci_ref function = {.handle = &fakes[0].io}, other = {.handle = &fakes[1].io};
    struct agpu_dma dma;

    assert_false(agpu_dma_set_place(NULL, &function, AGPU_DMA_HIGH));
    agpu_dma_high_close();
    agpu_dma_high_configure(AGPU_DMA_HIGH_ON);
    assert_true(agpu_dma_set_place(NULL, &function, AGPU_DMA_HIGH));
    assert_true(agpu_dma_set_place(NULL, &other, AGPU_DMA_HIGH));
    dma = take(1, PAGE);
    assert_int_equal(dma.device_address, (uintptr_t)dma.cpu);
    agpu_dma_free(NULL, &dma);
}
