#!/usr/bin/python3
"""ctl_strangers.py: who is not the client of a control connection (tests/host/ctl/README.md):

  ctl_strangers.py record PORT HOST:PORT FILE   passes one connection on, and keeps what the client said
  ctl_strangers.py replay HOST:PORT FILE        says it again; prints how many bytes came back, and their last frame's type
  ctl_strangers.py flood HOST:PORT              connections with nonsense and half greetings in them, until SIGTERM; then how many
"""
import random
import select
import signal
import socket
import struct
import sys


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


if sys.argv[1] == "record":
    record(int(sys.argv[2]), address(sys.argv[3]), sys.argv[4])
elif sys.argv[1] == "replay":
    replay(address(sys.argv[2]), sys.argv[3])
else:
    flood(address(sys.argv[2]))
