"""msi.py QEMU DEVICE FOLDER: a machine without a running processor (QEMU's qtest), in which this script is the
driver. It enables the device's MSI with an address in memory, rings its doorbell, and waits for the message
there."""
import socket
import subprocess
import sys
import time

qemu, device, folder = sys.argv[1:]
BAR, TARGET, DATA = 0xE0000000, 0x100000, 0x4A40


def ask(line):
    """Sends one command of qtest. Returns the value of its answer."""
    machine.write(line + "\n")
    machine.flush()
    for answer in machine:
        if answer.startswith("OK"):
            return int((answer.split() + ["0"])[1], 16)
        if not answer.startswith("IRQ"):
            sys.exit("msi.py: %s: %s" % (line, answer))
    sys.exit("msi.py: QEMU is gone after: " + line)


def config_read(offset):
    ask("outl 0xcf8 %#x" % (0x80000000 | function << 8 | offset & 0xfc))
    return ask("inl 0xcfc")


def config_write(offset, value):
    ask("outl 0xcf8 %#x" % (0x80000000 | function << 8 | offset & 0xfc))
    ask("outl 0xcfc %#x" % value)


listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + "/qtest.sock")
listener.listen()
listener.settimeout(60)
process = subprocess.Popen([qemu, "-nodefaults", "-display", "none", "-machine", "q35,memory-backend=ram,kernel-irqchip=off", "-accel", "qtest",
                            "-object", "memory-backend-memfd,id=ram,size=64M,share=on", "-m", "64M", "-qtest", "unix:%s/qtest.sock" % folder,
                            "-device", device])
try:
    connection = listener.accept()[0]
    connection.settimeout(60)
    machine = connection.makefile("rw")
    for function in range(1 << 3, 32 << 3, 8):
        if config_read(0) == 0x0001A3A0:
            break
    else:
        sys.exit("msi.py: no AeroGPU on bus 0, expected the device %s" % device)
    msi = config_read(0x34) & 0xff
    if config_read(msi) & 0xff != 5:
        sys.exit("msi.py: expected an MSI capability (5) first, found %#x" % (config_read(msi) & 0xff))
    config_write(0x10, BAR)
    config_write(msi + 4, TARGET)
    config_write(msi + 8, DATA)
    config_write(msi, config_read(msi) & 0xffff | 0x210000)  # enabled, four vectors
    config_write(0x04, 0x406)  # Memory Space, Bus Master, no INTx
    ask("writel %#x 0" % TARGET)
    ask("writel %#x 1" % (BAR + 0x200))  # the doorbell: the device sends vector 2
    end = time.monotonic() + 20
    got = 0
    while got == 0 and time.monotonic() < end:
        got = ask("readl %#x" % TARGET)
    if got != DATA | 2:
        sys.exit("msi.py: expected %#x at the address of the message, found %#x" % (DATA | 2, got))
finally:
    process.kill()
    process.wait()
