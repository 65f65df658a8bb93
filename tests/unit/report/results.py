"""results.py: results of invented runs, for the tests of report.html."""
import json
import os
import struct
import zlib


def png(width, height, texel):
    """Returns an RGBA PNG whose texel at x, y is texel(x, y)."""
    rows = b"".join(b"\0" + b"".join(bytes(texel(x, y)) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def read_png(data):
    """Returns width, height and texel(x, y) of an 8-bit RGB or RGBA PNG."""
    at, idat, width, height, channels = 8, b"", 0, 0, 4
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
            assert depth == 8
        elif kind == b"IDAT":
            idat += body
        at += length + 12
    raw, line = zlib.decompress(idat), width * channels
    done = bytearray()
    for y in range(height):
        kind = raw[y * (line + 1)]
        row = bytearray(raw[y * (line + 1) + 1:(y + 1) * (line + 1)])
        above = done[(y - 1) * line:y * line] if y else bytearray(line)
        for x in range(line):
            a = row[x - channels] if x >= channels else 0
            b, c = above[x], above[x - channels] if x >= channels else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[x] = (row[x] + (0, a, b, (a + b) >> 1, nearest)[kind]) & 255
        done += row
    return width, height, lambda x, y: tuple(done[(y * width + x) * channels:][:3])


class Results:
    """A result directory under construction."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = []
        os.makedirs(os.path.join(folder, "artifacts"))

    def say(self, kind, case, **keys):
        seq = len(self.lines)
        record = {"seq": seq, "t_us": seq * 100, "type": kind, "id": case, **keys, "via": "udp", "host_us": seq * 100}
        self.lines.append(json.dumps(record))

    def case(self, name, status="PASS", us=250, checks=(), logs=(), **keys):
        self.index = getattr(self, "index", 0) + 1
        self.say("start", name, index=self.index)
        for text in logs:
            self.say("log", name, level="info", text=text)
        for check in checks:
            self.say("check", name, **check)
        self.say("end", name, status=status, us=us, **keys)

    def file(self, name, data):
        with open(os.path.join(self.folder, "artifacts", name), "wb") as out:
            out.write(data)

    def pictures(self, name, expected, actual, edge=16):
        def difference(x, y):
            return [abs(a - b) for a, b in zip(expected(x, y), actual(x, y))][:3] + [255]
        for kind, texel in (("expected", expected), ("actual", actual), ("difference", difference)):
            self.file("%s-%s.png" % (name, kind), png(edge, edge, texel))

    def write(self):
        with open(os.path.join(self.folder, "results.jsonl"), "w") as out:
            out.write("\n".join(self.lines) + "\n")
