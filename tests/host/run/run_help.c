/* run_help.c: what `agpu run --help` says. */
#include "tests/host/run/run_help.h"

#include "tests/host/run/choice_options.h"
#include "tests/host/run/command.h"
#include "tests/host/run/hardware.h"

static const char help[] =
    "agpu run: boots the image in QEMU on the device model, collects, reports\n"
    "\n"
    "usage: agpu run [OPTIONS] [CASE...] [-- WORDS]\n"
    "\n"
    "  CASE                 the same as --filter CASE\n"
    "  --filter GLOBS       only cases whose name matches, !GLOB none of these; agpu list names them; "
    "several with commas between them, or the option "
    "several times\n"
    "  --failed-from DIR    only the cases that failed in the run whose results are in DIR (results/latest)\n"
    "  --out DIR            result folder; what an earlier run has left in it is replaced\n"
    "  --results DIR        without --out: the next numbered folder in DIR, DIR/latest leads to it, "
    "DIR/history.sqlite\n"
    "                       has all of them (agpu history; default: results)\n"
    "  --require WORDS      what the device must have, as in agpu.cfg: default, transfer, -shaders ...\n"
    "  --allow-skips LIST   skips that are no reason to fail: a number, or globs over reasons; * for all\n"
    "  --trace WORDS        the user-mode driver's trace as log records of each case: calls, state, "
    "resources, "
    "caps\n"
    "  --repeat N|Ns        the catalogue N times, or for N seconds, in one boot\n"
    "  --shuffle SEED       the cases in another order, in each round in yet another\n"
    "  --abi WHICH          which device to model: 1.0 to 1.4, each with -FEATURE (1.4-cursor), or legacy; "
    "legacy-as-a3a0,\n"
    "                       1.4-as-1aed: with the PCI identity of the other generation\n"
    "  --fault NAME         give the device model a deliberate fault; list prints them\n"
    "  --accel auto|kvm|tcg auto uses KVM when it can boot the firmware (probed once)\n"
    "  --image FILE         agpu.img or .iso    (or $AGPU_IMAGE; default: agpu.img, else the installed one)\n"
    "  --qemu PROGRAM       QEMU >= 10.1        (or $AGPU_QEMU; default: qemu-system-x86_64)\n"
    "  --ovmf-code FILE     firmware            (or $AGPU_OVMF_CODE; default: "
    "/usr/share/OVMF/OVMF_CODE_4M.fd)\n"
    "  --ovmf-vars FILE     its variables, copied (or $AGPU_OVMF_VARS; default: "
    "/usr/share/OVMF/OVMF_VARS_4M.fd)\n"
    "  --memory MIB         of the guest (default 6144, of which it touches 200; below 3072 there is none "
    "above 4 GiB)\n"
    "  --timeout S          bound of the whole run (default 900)\n"
    "  --boot-timeout S     from start to the plan record (default 60)\n"
    "  --case-timeout S     of one case (default 60)\n"
    "  --key FILE           every record has a keyed hash of this key (64 hexadecimal digits), and no other "
    "counts\n"
    "  --silence S          without any record, heartbeat included (default 15)\n"
    "  --screenshot FILE    the guest's screen at the end, .png or .ppm\n"
    "  --submission-log FILE  the device model writes one line of JSON for each submission (FILE.N after the "
    "Nth "
    "restart)\n"
    "  --capture[=failures] the image writes down what passes between driver and device, of all cases or of "
    "those that fail,\n"
    "                       into DIR/capture.agpucap: agpu decode, agpu replay; the last submissions of "
    "failed cases are decoded\n"
    "                       into DIR/artifacts\n"
    "  --device-capture FILE  the same as the device sees it; of several devices the first\n"
    "  --replay FILE        the image plays a capture instead of the catalogue; --replay-until N: up to "
    "submission N; --repeat\n"
    "  --control PATH       UNIX socket at which the device model answers questions: send it help\n"
    "  --no-nic             no network: records arrive by debug console and serial port only\n"
    "  --no-device          no AeroGPU: shows how the image reports that\n"
    "  --cfg KEY=VALUE      a further line for agpu.cfg; replaces what this command would write for that "
    "key\n"
    "  --device FILE[,OPTIONS]  a device as a shared library (agpu_device_plugin.h) instead of our model; "
    "model[,OPTIONS]\n"
    "                       is ours. Given several times: so many devices in one machine, each with its own "
    "verdict\n"
    "  --devices N          N of the first\n"
    "  --vdev PROGRAM       run this as the device (it gets --socket PATH --ready-fd N ...); like a plug-in, "
    "it is\n"
    "                       judged as any device unless --cfg device=model says that it is our model\n"
    "  --machine COMMAND    start this, by the shell, instead of our QEMU; {names} in it are replaced, see "
    "below\n"
    "  --no-vdev            start no device: the machine has one inside; judged as any device\n"
    "  -- WORDS             put behind our QEMU's command line, as in --no-vdev -- -device my-gpu\n"
    "  --restarts N         when a case ends the machine or its device, or hangs it, start both again behind "
    "that case,\n"
    "                       at most so often (default 8); 0: stop at the first. A device or machine that was "
    "killed\n"
    "                       from outside (SIGKILL, SIGTERM) ends the run at once\n"
    "  --keep               keep the disk copy and the other working files, and say where\n"
    "\n"
    "Which cases, and what is known of them:\n";

static const char help_parts[] = "\n"
                                 "What the machine is made of:\n";

static const char help_end[] =
    "\n"
    "Exit status: 0 nothing failed, and what could not be tried is acceptable; 1 not so; 2 usage; 130 or 143 "
    "interrupted.\n"
    "\n"
    "In the COMMAND of --machine ({{ is a brace of your own):\n";

static const char help_machine[] =
    "Without a place for its serial port the machine's standard output is read as that. It is to end when "
    "the "
    "guest powers\n"
    "off, and had better end when the guest resets. Begin with exec when the command is a list, so that no "
    "process outlives\n"
    "the run. For example:\n"
    "  agpu run --image agpu.img --machine 'my-emulator --disk {image} --com1 unix:{serial-socket} "
    "--firmware {firmware}'\n";

void agpu_run_help(FILE *out)
{
    fputs(help, out);
    agpu_choice_help(out);
    fputs(help_parts, out);
    agpu_hardware_list(out);
    fputs(help_end, out);
    agpu_command_list(out, "  ");
    fputs(help_machine, out);
}
