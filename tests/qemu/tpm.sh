# tpm.sh: `. tpm.sh`, behind work=FOLDER: puts into tpm=() what keeps the firmware of a QEMU that a test starts itself from waiting for
# a TPM (tests/host/run/tpm.h).
# shellcheck shell=bash disable=SC2034,SC2154 # who sources it has the one, and uses the other
mkfifo "$work/tpm"
tpm=(-tpmdev "passthrough,id=tpm,cancel-path=/dev/null,path=$work/tpm" -device tpm-tis,tpmdev=tpm)
