# tpm.sh: `. tpm.sh`, after work=FOLDER: sets tpm=() to options that keep the firmware of a QEMU started by the test
# from waiting for a TPM (tests/host/run/tpm.h).
# shellcheck shell=bash disable=SC2034,SC2154 # who sources it has the one, and uses the other
mkfifo "$work/tpm"
tpm=(-tpmdev "passthrough,id=tpm,cancel-path=/dev/null,path=$work/tpm" -device tpm-tis,tpmdev=tpm)
