#!/usr/bin/python3
"""serve_test.py AGPU: agpu serve over an invented directory of results: pages and refusals."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree

AGPU = sys.argv[1]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from results import Results  # noqa: E402

work = tempfile.TemporaryDirectory()
results = work.name + "/results"
EVIL = "</pre><script>alert(1)</script> & \"'"


def finished(name, status, reason=None):
    made = Results("%s/%s" % (results, name))
    made.say("plan", "-", count=2, build="b", device="board <b>one</b>")
    made.case("ring.a", status, **({"reason": reason} if reason else {}))
    made.case("ring.b")
    made.say("metric", "ring.b", name="time", value=int(name), unit="ns")
    made.say("summary", "-", status=status, passed=1, failed=int(status == "FAIL"), errors=0, skipped=0, timeouts=0, crashed=0,
             total=2, us=5)
    made.write()
    with open("%s/%s/report.html" % (results, name), "w") as file:
        file.write("<!doctype html><title>report of %s</title>" % name)


def running(name, owner):
    os.makedirs("%s/%s" % (results, name))
    with open("%s/%s/.lock" % (results, name), "w") as file:
        file.write("%d\n" % owner)
    with open("%s/%s/results.jsonl.unsorted.part" % (results, name), "w") as file:
        file.write(json.dumps({"type": "plan", "id": "-", "count": 4000}) + "\n")
        for index in range(1, 2001):
            file.write(json.dumps({"type": "start", "id": "case." + EVIL, "index": index}) + "\n")
        file.write('{"type": "start", "id": "cut o')


class Server:
    def __init__(self):
        self.program = subprocess.Popen([AGPU, "serve", "--results", results, "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.program.stdout.readline()
        self.port = int(re.fullmatch(r".*: http://127\.0\.0\.1:(\d+)/\n", line).group(1))

    def get(self, path, status=200, method="GET", host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or "127.0.0.1:%d" % self.port)
        connection.endheaders()
        response = connection.getresponse()
        body = response.read().decode()
        assert response.status == status, "%s: %d, expected %d:\n%s" % (path, response.status, status, body)
        assert response.getheader("X-Content-Type-Options") == "nosniff" and "sandbox" in response.getheader("Content-Security-Policy")
        return body

    def end(self):
        self.program.send_signal(signal.SIGTERM)
        assert self.program.wait(60) == 143
        self.program.stdout.close()


def texts(page):
    """Checks that the page is well-formed, and that no text of a record has become markup."""
    assert "<script" not in page and "<b>" not in page, page
    tree = xml.etree.ElementTree.fromstring(re.sub(r"<(!doctype|meta|input)[^>]*>", "", page))
    return tree, "".join(tree.itertext())


finished("0001", "PASS")
finished("0002", "FAIL", EVIL)
os.symlink("0002", results + "/latest")
running("0003", os.getpid())
gone = subprocess.Popen(["true"])
gone.wait()
running("0004", gone.pid)  # left by a killed run
with open(work.name + "/secret.txt", "w") as file:
    file.write("secret")
os.symlink(work.name + "/secret.txt", results + "/0001/out.txt")
os.symlink("/", results + "/0001/root")
os.mkfifo(results + "/0001/pipe.txt")

server = Server()
tree, text = texts(server.get("/"))
assert "2 runs" in text and "FAIL     ring.a  since run 2" in text and "board <b>one</b>" in text, text
assert "running: 0003" in text and "case 2000 of 4000: case." + EVIL in text and "0004" not in text, text
choices = [link.text for link in tree.findall(".//nav/a")]
assert choices == ["all 2", "ERROR 1", "FAIL 1"], choices  # the runs that have ended
links = [link.get("href") for link in tree.findall(".//td/a")]
assert links == ["/run/0002/report.html", "/run/0001/report.html"], links
only = texts(server.get("/?verdict=ERROR"))[0]
assert [link.get("href") for link in only.findall(".//td/a")] == links[1:] and only.find(".//nav/a[@aria-current]").text == "ERROR 1"
assert "report of 0002" in server.get(links[0]) and "report of 0002" in server.get("/run/latest/report.html")
# A run that ends meanwhile is listed on the next request.
finished("0005", "PASS")
assert "3 runs" in texts(server.get("/"))[1]
# A run with a deliberate fault is listed as such.
finished("0006", "FAIL", "by intent")
with open(results + "/0006/summary.json", "w") as file:
    file.write('{"environment": {"fault": "copy_drops_tail"}}')
text = texts(server.get("/"))[1]
assert "4 runs" in text and "device fault (deliberate): fault copy_drops_tail, board" in text and "by intent" not in text, text
_, text = texts(server.get("/cases?globs=ring.a"))
assert "alert(1)" in text and "PASS     1 run" in text, text
assert "no case in the history" in texts(server.get("/cases?globs=%3Cscript%3E"))[1]
tree, text = texts(server.get("/metrics?globs=ring.b.*"))
assert len(tree.findall(".//circle")) == 3 and "ring.b.time in ns" in text, text
# Refused paths.
for path in ("/run/0001/out.txt", "/run/0001/root/etc/hostname.txt", "/run/../secret.txt", "/run/%2e%2e/secret.txt", "/run//etc/passwd",
             "/run/0001/pipe.txt", "/run/history.sqlite", "/run/0003/.lock", "/run/", "/run/0001", "/nothing", "/run/0001/%00.txt",
             "/run/" + "a/" * 4000 + "x.txt"):
    server.get(path, status=404)
server.get("/", status=403, host="attacker.example")
server.get("/", status=403, host="attacker.example:%d" % server.port)
server.get("/", status=405, method="POST")
assert "runs" in server.get("/", host="localhost:%d" % server.port)
# Clients that never complete their request, byte by byte, keep no other client out.
drips = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
answered = threading.Event()


def drip():
    while not answered.wait(0.2):
        for one in drips:
            try:
                one.send(b"G", socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            except OSError:
                pass  # the server has closed it


dripping = threading.Thread(target=drip)
dripping.start()
try:
    assert "4 runs" in texts(server.get("/"))[1]
finally:
    answered.set()
    dripping.join()
for one in drips:
    one.close()
os.truncate(results + "/history.sqlite", 100)
assert "cannot be read" in server.get("/", status=503)
os.remove(results + "/history.sqlite")
assert "3 runs" in texts(server.get("/"))[1]
taken = subprocess.run([AGPU, "serve", "--results", results, "--port", str(server.port)], stderr=subprocess.PIPE, text=True, check=False)
assert taken.returncode == 1 and "--port N" in taken.stderr, taken
server.end()
none = subprocess.run([AGPU, "serve", "--results", work.name + "/none"], stderr=subprocess.PIPE, text=True, check=False)
assert none.returncode == 1 and "no results directory" in none.stderr, none
