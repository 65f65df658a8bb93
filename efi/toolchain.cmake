# The image's compiler: clang producing PE/COFF objects and lld linking them, so that EFI calls are native and DWARF
# is in the same format. GNU-EFI supplies headers only.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

find_program(AGPU_CLANG NAMES clang clang-19 clang-14 REQUIRED)
find_program(AGPU_LLVM_AR NAMES llvm-ar llvm-ar-19 llvm-ar-14 REQUIRED)
find_program(AGPU_LLD_LINK NAMES lld-link lld-link-19 lld-link-14 REQUIRED)
set(CMAKE_C_COMPILER ${AGPU_CLANG})
set(CMAKE_AR ${AGPU_LLVM_AR} CACHE FILEPATH "archiver that indexes COFF objects")
set(CMAKE_RANLIB "" CACHE FILEPATH "llvm-ar writes the index itself")

get_filename_component(AGPU_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)

# -target belongs here: CMAKE_C_COMPILER_TARGET does not reach the link line in CMake 3.25.
# The Microsoft dialect is off because GNU-EFI's headers define __attribute__ away in it.
# Firmware keeps no red zone; no stack guard pages, so no probes and no protector.
# No SSE but for numbers: QEMU without KVM translates a load of 16 bytes into two halves that are stored, and read again as one, which
# the host's processor waits for. Copies and comparisons of memory take a fourth to a fifth of the time word by word.
# Unwind tables are what a back trace walks by (efi/backtrace.c).
# The prefix map makes __FILE__ and DWARF paths relative to the project: readable in records, reproducible.
string(JOIN " " CMAKE_C_FLAGS_INIT
    "-target x86_64-unknown-windows -fno-ms-extensions -fno-ms-compatibility -fmsc-version=0"
    "-ffreestanding -fshort-wchar -mno-red-zone -mno-stack-arg-probe -fno-stack-protector -mno-implicit-float"
    "-fno-exceptions -fasynchronous-unwind-tables -gdwarf-4"
    "-ffile-prefix-map=${AGPU_ROOT}/= -fdebug-compilation-dir=."
    "-nostdlibinc -isystem ${CMAKE_CURRENT_LIST_DIR}/libc/include")
set(CMAKE_C_STANDARD_LIBRARIES_INIT "")
string(JOIN " " CMAKE_EXE_LINKER_FLAGS_INIT
    "-Qunused-arguments -nostdlib -fuse-ld=lld -Wl,-entry:efi_main -Wl,-subsystem:efi_application"
    "-Wl,-debug:dwarf -Wl,-timestamp:0 -Wl,-nodefaultlib -Wl,-largeaddressaware")
