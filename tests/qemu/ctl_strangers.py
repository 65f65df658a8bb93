#!/usr/bin/python3
"""ctl_strangers.py: who is not the client of a control connection (tests/handbook/control.md):

  ctl_strangers.py record PORT HOST:PORT FILE   passes one connection on, and keeps what the client said
  ctl_strangers.py replay HOST:PORT FILE        says it again; prints how many bytes came back, and their last frame's type
  ctl_strangers.py flood HOST:PORT              connections with nonsense and half greetings in them, until SIGTERM; then how many
  ctl_strangers.py line SOCKET LISTEN FILE      a bad serial line between clients at LISTEN and the image at SOCKET, until SIGTERM: bytes are
                                                lost, doubled and changed both ways, noise, greetings of strangers and all that clients said
                                                before come in between. FILE gets what the image said, as it was
"""
import random
import select
import signal
import socket
import struct
import sys
import zlib


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def record(port, target, path):
    listener = socket.create_server(("127.0.0.1", port))
    print("listening", flush=True)
    listener.settimeout(30)
    client, _ = listener.accept()
    image = socket.create_connection(target, 10)
    with open(path, "wb") as log:
        while True:
            ready, _, _ = select.select([client, image], [], [], 30)
            if not ready:
                sys.exit("nothing was said for 30 s")
            for one in ready:
                data = one.recv(65536)
                if not data:
                    return
                if one is client:
                    log.write(data)
                (image if one is client else client).sendall(data)


def replay(target, path):
    came = b""
    with socket.create_connection(target, 10) as image, open(path, "rb") as log:
        image.settimeout(10)
        image.sendall(log.read())
        try:
            while data := image.recv(65536):
                came += data
        except ConnectionResetError:
            pass
    last = None
    at = 0
    while at + 4 <= len(came):
        size, last = struct.unpack_from("<HB", came, at)
        at += 4 + size
    print("replayed:", len(came), "bytes came back, the last frame of type", last)


def flood(target):
    made = 0
    generator = random.Random(1)
    hello = struct.pack("<HBB", 24, 17, 0) + struct.pack("<IB3x", 0x43504741, 1) + bytes(16)
    going = [True]
    signal.signal(signal.SIGTERM, lambda number, frame: going.clear())
    kept = []
    while going:
        try:
            one = socket.create_connection(target, 1)
            one.settimeout(0.05)
            made += 1
            if made % 50 == 0:
                print("so far", made, flush=True)
            choice = generator.randrange(4)
            if choice < 2:
                one.sendall(generator.randbytes(generator.randrange(1, 3000)))
            else:
                one.sendall(hello + (struct.pack("<HBB", 0, 19, 0) + bytes(16) if choice == 2 else b""))
            kept.append(one)
            if len(kept) > 3:
                kept.pop(0).close()
        except OSError:
            pass
    print("flood:", made, "connections")


class Line:
    def __init__(self):
        self.random = random.Random(2)
        self.said = []
        self.damaged = self.strange = self.again = 0

    def spoil(self, data):
        out = bytearray()
        for byte in data:
            what = self.random.randrange(4000)
            if what < 3:
                self.damaged += 1
            if what != 0:
                out.append(self.random.randrange(256) if what == 1 else byte)
            if what == 2:
                out.append(byte)
        return bytes(out)

    def stranger(self):
        """Yields valid greetings without the key, noise, or what a client sent before."""
        choice = self.random.randrange(3)
        if choice == 0 and self.said:
            self.again += 1
            return self.random.choice(self.said)
        self.strange += 1
        if choice == 1:
            return self.random.randbytes(self.random.randrange(1, 80))
        frame = struct.pack("<HBB", 24, 17, 0) + struct.pack("<IB3x", 0x43504741, 1) + self.random.randbytes(16)
        raw = bytes([1]) + self.random.randbytes(8) + bytes(8) + frame
        return b"\n~agpu>" + (raw + struct.pack("<I", zlib.crc32(raw))).hex().encode() + b"\n"


def line(path, listen, log_path):
    cable = Line()
    going = [True]
    signal.signal(signal.SIGTERM, lambda number, frame: going.clear())
    image = socket.socket(socket.AF_UNIX)
    image.connect(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(listen)
    listener.listen(4)
    print("listening", flush=True)
    client = None
    with open(log_path, "wb", buffering=0) as log:
        while going:
            ready, _, _ = select.select([image, listener] + ([client] if client else []), [], [], 0.05)
            if listener in ready and client is None:
                client, _ = listener.accept()
            if image in ready:
                data = image.recv(65536)
                log.write(data)
                try:
                    if client:
                        client.sendall(cable.spoil(data))
                except OSError:
                    pass
            if client in ready:
                data = b""
                try:
                    data = client.recv(65536)
                except OSError:
                    pass
                if not data:
                    client.close()
                    client = None
                else:
                    cable.said += [b"\n" + one + b"\n" for one in data.split(b"\n") if one]
                    image.sendall(cable.spoil(data))
            if cable.random.randrange(8) == 0:
                image.sendall(cable.stranger())
    print("line:", cable.damaged, "bytes damaged,", cable.strange, "strange,", cable.again, "said again")


if sys.argv[1] == "line":
    line(sys.argv[2], sys.argv[3], sys.argv[4])
elif sys.argv[1] == "record":
    record(int(sys.argv[2]), address(sys.argv[3]), sys.argv[4])
elif sys.argv[1] == "replay":
    replay(address(sys.argv[2]), sys.argv[3])
else:
    flood(address(sys.argv[2]))
