"""postgres_world.py: a PostgreSQL server for a test: on a UNIX socket in a folder that goes away, of a user without rights."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time

START_S = 60


def programs():
    """The folder of the newest server here; "": there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else ""


class Server:
    """with Server() as server: server.database(name) makes one, and is its URL."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="agpu-pg-", dir="/tmp")  # the path of a socket is short
        self.postgres = None
        self.prefix = []
        if os.geteuid() == 0:  # as whom PostgreSQL refuses to run
            user = next(pwd.getpwnam(name) for name in ("postgres", "nobody") if name in {entry.pw_name for entry in pwd.getpwall()})
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", "--reuid=%d" % user.pw_uid, "--regid=%d" % user.pw_gid, "--clear-groups", "--"]

    def url(self, database, user="agpu"):
        return "postgresql://%s@/%s?host=%s" % (user, database, self.folder)

    def sql(self, database, text, user="agpu"):
        """What psql answers, a line a row."""
        done = subprocess.run([programs() + "/psql", "-XAtqd", self.url(database, user), "-v", "ON_ERROR_STOP=1", "-c", text], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, "%s: %s" % (text, done.stdout)
        return done.stdout.strip()

    def database(self, name):
        self.sql("postgres", "CREATE DATABASE " + name)
        return self.url(name)

    def __enter__(self):
        try:
            data = self.folder + "/data"
            done = subprocess.run([*self.prefix, programs() + "/initdb", "-D", data, "-U", "agpu", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"],
                                  cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            assert done.returncode == 0, done.stdout
            with open(self.folder + "/log", "wb") as log:
                self.postgres = subprocess.Popen([*self.prefix, programs() + "/postgres", "-D", data, "-k", self.folder, "-F", "-c", "listen_addresses="],
                                                 cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            end = time.monotonic() + START_S
            while subprocess.run([programs() + "/pg_isready", "-q", "-h", self.folder], check=False).returncode != 0:
                if self.postgres.poll() is not None or time.monotonic() > end:
                    with open(self.folder + "/log", encoding="utf-8", errors="replace") as log:
                        raise AssertionError("PostgreSQL does not answer:\n" + log.read())
                time.sleep(0.05)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.postgres is not None:
            self.postgres.send_signal(2)  # SIGINT: ends the sessions, too
            try:
                self.postgres.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.postgres.kill()
                self.postgres.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
