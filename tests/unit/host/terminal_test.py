#!/usr/bin/python3
"""terminal_test.py AGPU: the line that updates during a run, its verdict, and the history, on terminals of several
widths and without a locale. The updating line is never wider than the terminal, because a wrapped line cannot be
erased. Other lines wrap between words. Commands and paths, which users copy, stay whole."""
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios

AGPU = sys.argv[1]
work = tempfile.TemporaryDirectory()
HEAD, CASES = "6,%d,%d,-;", 1385


class Terminal:
    """Runs a program on a terminal with this many columns. The terminal stays open here too, and a mark is written
    after the program's end: a terminal that its last user has closed may lose unread text."""
    END = "\0"

    def __init__(self, columns, *command, env=None):
        self.screen, self.terminal = os.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.terminal, stderr=subprocess.STDOUT,
                                        env={"PATH": os.environ["PATH"], **(env or {})})  # and without a locale
        self.ended = os.pidfd_open(self.program.pid)
        self.text = ""

    def read(self):
        """Returns False when the program has ended and all of its text has been read."""
        if self.ended is not None:
            ready, _, _ = select.select([self.screen, self.ended], [], [], 60)
            assert ready, "nothing happened for a minute:\n" + self.text
            if self.ended in ready:
                os.close(self.ended)
                self.ended = None
                os.write(self.terminal, self.END.encode())
        self.text += os.read(self.screen, 65536).decode("ascii")
        return not self.text.endswith(self.END)

    def wait_for(self, pattern):
        while not re.search(pattern, self.text):
            assert self.read(), "the program ended without %r:\n%s" % (pattern, self.text)

    def end(self):
        while self.read():
            pass
        self.text = self.text[:-len(self.END)]
        os.close(self.screen)
        os.close(self.terminal)
        return self.program.wait(60)


def fits(text, columns):
    """Checks that no line is wider, except for a single word or a command to copy."""
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.split("\x1b[K")[-1].split("\r")[-1]
        whole = "again: " in line or "/artifacts/" in line or line.startswith("listening on ")
        assert whole or len(line) <= columns or " " not in line.strip(), "%d letters on %d columns: %r" % (len(line), columns, line)


def words(text):
    return re.sub(r"\s+", " ", text)


def follow(columns, shows):
    """Runs agpu listen on a serial port and checks the updating line against these patterns."""
    port = "%s/port%d" % (work.name, columns)
    os.mkfifo(port)
    keep = os.open(port, os.O_RDWR)
    seq = 0

    def say(text):
        nonlocal seq
        os.write(keep, (HEAD % (seq, seq * 10) + text + "\n").encode())
        seq += 1

    terminal = Terminal(columns, AGPU, "listen", "--serial", port, "--out", "%s/out" % work.name)
    say("log - level=info text=entry")
    say("plan - count=%d format=2 build=b device=d" % CASES)
    for number in range(1, 1201):
        say("start stress.subject.case%04d index=%d" % (number, number))
        say("end stress.subject.case%04d status=%s us=1" % (number, "SKIP reason=none" if number % 9 == 0 else "PASS"))
    say("start stress.subject.the_case_with_the_longest_name_of_all index=1201")
    # The line is also redrawn while nothing arrives.
    for pattern in shows:
        terminal.wait_for(r"\r\[1200/1385\] " + pattern)
    say("end stress.subject.the_case_with_the_longest_name_of_all status=FAIL us=5 reason=wrong")
    say("summary - status=FAIL passed=1067 failed=1 errors=0 skipped=133 timeouts=0 crashed=0 total=1201 us=5")
    assert terminal.end() == 1, terminal.text
    os.close(keep)
    lines = re.findall(r"\r([^\r\n]*?)\x1b\[K", terminal.text)
    assert any(lines), terminal.text
    for line in lines:
        assert len(line) < columns, "%d letters on %d columns: %r" % (len(line), columns, line)
    said = words(terminal.text)
    assert "FAIL stress.subject.the_case_with_the_longest_name_of_all" in said, terminal.text
    assert " FAIL 1067 pass 133 skip 1 fail, 1201 of 1385 planned, 184 not run in " in said, terminal.text
    fits(terminal.text, columns)


def end_of_a_run(env, *options):
    """Returns the last screen of a run with many failures, messages and choices, without the time it took."""
    port = work.name + "/log"
    with open(port, "w") as log:
        print("6,0,0,-;plan - count=60 format=2 build=b device=d", file=log)
        for number in range(1, 61):
            name = "a.case%02d" % number
            print("6,%d,0,-;start %s index=%d" % (3 * number, name, number), file=log)
            print("6,%d,0,-;choice %s name=n%d value=v" % (3 * number + 1, name, number), file=log)
            print("6,%d,0,-;end %s status=%s us=1 %s" % (3 * number + 2, name, "SKIP skip=blocked" if number > 40 else "FAIL",
                  "blocked_by=fence reason=x" if number > 40 else "cause=fence reason=\"No fence. And more\"" if number == 30 else "reason=r%d" % number), file=log)
        print("6,200,0,-;summary - status=FAIL passed=0 failed=40 errors=0 skipped=20 timeouts=0 crashed=0 total=60 us=5", file=log)
    terminal = Terminal(80, AGPU, "report", "--serial", port, "--out", work.name + "/ends", *options, env=env)
    assert terminal.end() == 1, terminal.text
    text = re.sub(r"in \d+\.\d s$", "in T s", terminal.text.replace("\r\n", "\n").rstrip("\n"))
    return text.split("\n")[-24:]


screen = end_of_a_run({})
assert screen[-1].startswith("FAIL  0 pass 20 skip (20 blocked) 40 fail, 60 of 60 planned  in "), screen
assert screen[-2] == "  report  %s/ends/report.html" % work.name, screen
assert screen[-3] == "  and 30 more failed cases, in 2 groups: see the report", screen
failed = [line for line in screen if line.startswith("  FAIL    a.case")]
assert len(failed) == 10 and failed[0] == "  FAIL    a.case30  blocks 20: No fence", screen
assert "\x1b[" not in "".join(screen), "colours on a terminal without a type: %r" % screen
assert end_of_a_run({"TERM": "xterm"})[-1].startswith("\x1b[1;31mFAIL\x1b[m  0 pass"), "no colours"
assert end_of_a_run({"TERM": "xterm", "NO_COLOR": "1"}) == screen, "NO_COLOR has no effect"


follow(120, [r"stress\.subject\.the_case_with_the_longest +1067 pass 133 skip   \d+\.\d s"])
follow(80, [r"stress\.subject\.the_case_with_the_longe +1067 pass 133 skip   \d+\.\d s"])
follow(40, [r"stress\.subject\.the_ +\d+\.\d s"])
follow(20, [r"\S*"])
for columns in (20, 40, 80, 200):
    for question in ((), ("stress.subject.the*",), ("--flaky", "--differ", "--moved", "--runs")):
        terminal = Terminal(columns, AGPU, "history", "--results", work.name + "/out", *question)
        assert terminal.end() == 0, terminal.text
        fits(terminal.text, columns)
        assert question != () or "FAIL stress.subject.the_case_with_the_longest_name_of_all always, from run " in words(terminal.text), terminal.text
    terminal = Terminal(columns, AGPU, "compare-runs", work.name + "/out/port40", work.name + "/out/port80")
    assert terminal.end() == 0, terminal.text
    fits(terminal.text, columns)
# Not a terminal: whole lines, for other programs.
done = subprocess.run([AGPU, "history", "--results", work.name + "/out", "--runs"], stdout=subprocess.PIPE, text=True, check=True, env={"COLUMNS": "40"})
assert any(len(line) > 60 for line in done.stdout.splitlines()), done.stdout
# A terminal that does not know its width.
terminal = Terminal(0, "env", "COLUMNS=50", AGPU, "history", "--results", work.name + "/out")
assert terminal.end() == 0, terminal.text
assert any(40 < len(line) for line in terminal.text.split("\r\n")), terminal.text
fits(terminal.text, 50)
for columns in (40, 80):
    terminal = Terminal(columns, AGPU, "history", "--results", work.name + "/out", "--metric", "run.wall")
    assert terminal.end() == 0, terminal.text
    drawn = [line for line in terminal.text.split("\r\n") if "|" in line]
    assert len(drawn) == 40 and any("o" in line for line in drawn), terminal.text
    assert max(map(len, drawn)) <= columns, terminal.text
