#!/usr/bin/python3
"""ctl_prompt_test.py AGPU: the prompt of agpu ctl on a terminal (completion, history over two sessions), and its
command line. No image is needed: the last command finds no connection and reports that."""
import os
import re
import select
import subprocess
import sys
import tempfile

AGPU = sys.argv[1]
work = tempfile.TemporaryDirectory()
KEY = os.path.join(work.name, "key")
with open(os.open(KEY, os.O_CREAT | os.O_WRONLY, 0o600), "w") as key:
    key.write("00" * 32 + "\n")
ENVIRONMENT = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": work.name}


class Prompt:
    def __init__(self):
        self.screen, terminal = os.openpty()
        self.program = subprocess.Popen(
            [AGPU, "ctl", "127.0.0.1:1", "--key-file", KEY, "--timeout", "1"],
            stdin=terminal, stdout=terminal, stderr=terminal, env=ENVIRONMENT, start_new_session=True)
        os.close(terminal)
        self.text = ""
        self.wait_for(r"127\.0\.0\.1:1> ")

    def wait_for(self, pattern):
        while not re.search(pattern, self.text):
            ready, _, _ = select.select([self.screen], [], [], 20)
            assert ready, "no %r within 20 s:\n%s" % (pattern, self.text)
            self.text += os.read(self.screen, 65536).decode("ascii", "replace")

    def type(self, keys, pattern):
        self.text = ""
        os.write(self.screen, keys.encode())
        self.wait_for(pattern)

    def leave(self):
        os.write(self.screen, b"exit\n")
        status = self.program.wait(20)
        os.close(self.screen)
        return status


first = Prompt()
first.type("reb\t", "reboot")
first.type("\x15" + "reg wr\t", "reg write")
first.type("IRQ_ST\t", "IRQ_STATUS")
first.type("\x15" + "nonsense\n", "no command nonsense")
first.type("reg read IRQ_STATUS\n", "no connection to 127.0.0.1:1")
assert first.leave() != 0, "commands that failed make a status of 0"
second = Prompt()
second.type("\x10\x10", "reg read IRQ_STATUS")  # exit comes after it
second.type("\x15\x04", "")
assert oct(os.stat(os.path.join(work.name, ".agpu-ctl-history")).st_mode & 0o777) == "0o600"
second.program.wait(20)


def ctl(*words, lines=None):
    return subprocess.run([AGPU, "ctl", *words], input=lines, capture_output=True, text=True, env=ENVIRONMENT, timeout=30)


for words, said in ((["127.0.0.1:1", "id"], "--key-file"), (["--key-file", KEY], "TARGET"),
                    (["h", "--key-file", KEY, "--timeout", "0", "id"], "expected a number"),
                    (["h", "--key-file", KEY, "reg", "read"], "expected reg read NAME"),
                    (["h", "--key-file", KEY, "fly"], "no command fly")):
    done = ctl(*words)
    assert done.returncode == 2 and said in done.stderr, (words, done)
for words, said in ((["127.0.0.1:0", "--key-file", KEY, "id"], "a port from 1 to 65535"),
                    (["127.0.0.1:1", "--key-file", KEY, "--timeout", "1", "id"], "no connection"),
                    (["127.0.0.1:1", "--key-file", KEY, "--timeout", "1", "id"], "trying for 1 s (--timeout)")):
    done = ctl(*words)
    assert done.returncode == 1 and said in done.stderr, (words, done)
done = ctl("h", "--key-file", KEY, lines="# nothing\nfly\nexit\nid\n")
assert done.returncode == 2 and "fly" in done.stderr and "connection" not in done.stderr, done
