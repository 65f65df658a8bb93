"""slurm_world.py: a Slurm cluster of one node for a test: munged, slurmctld and slurmd of this user, on loopback,
in a temporary directory."""
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time

START_S = 60
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")


class Unusable(Exception):
    """There is no cluster on this machine; the text says why."""


def check_machine():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        raise Unusable("not installed: %s (Debian: slurm-wlm, munge)" % ", ".join(absent))
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError as error:
        raise Unusable("slurmctld needs an address of this machine's name, %s: add it to /etc/hosts" % name) from error


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Cluster:
    """with Cluster() as cluster: points Slurm's clients to it by the environment of this process."""

    def __init__(self, processors=2):
        self.folder = tempfile.mkdtemp(prefix="agpu-slurm-", dir="/tmp")  # munge needs a path that all users may traverse
        self.daemons = []
        self.processors = processors

    def configure(self):
        name = socket.gethostname().partition(".")[0]
        control, node = free_ports(2)
        os.chmod(self.folder, 0o711)
        for sub, mode in (("munge", 0o711), ("state", 0o700), ("spool", 0o755)):
            os.mkdir("%s/%s" % (self.folder, sub))
            os.chmod("%s/%s" % (self.folder, sub), mode)
        with open(self.folder + "/munge/key", "wb") as key:
            os.chmod(key.name, 0o400)
            key.write(os.urandom(128))
        user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        with open(self.folder + "/slurm.conf", "w", encoding="utf-8") as file:
            file.write("""ClusterName=agpu
SlurmctldHost=%(name)s(127.0.0.1)
SlurmctldPort=%(control)d
SlurmUser=%(user)s
SlurmdUser=%(user)s
AuthType=auth/munge
AuthInfo=socket=%(folder)s/munge/socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=%(folder)s/state
SlurmdSpoolDir=%(folder)s/spool
SlurmctldPidFile=%(folder)s/slurmctld.pid
SlurmdPidFile=%(folder)s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
NodeName=%(name)s NodeAddr=127.0.0.1 Port=%(node)d CPUs=%(cpus)d State=UNKNOWN
PartitionName=all Nodes=%(name)s Default=YES MaxTime=INFINITE State=UP
""" % {"name": name, "control": control, "node": node, "user": user, "folder": self.folder, "cpus": self.processors})
        os.environ["SLURM_CONF"] = self.folder + "/slurm.conf"

    def start(self, *words):
        with open("%s/%s.log" % (self.folder, words[0]), "wb") as log:
            self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def log(self, name):
        with open("%s/%s.log" % (self.folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:].replace("\0", "").strip()

    def wait(self, seconds, *files):
        """Waits for one of these files to become readable and returns whether it did. Raises Unusable when a daemon ends."""
        watched = {os.pidfd_open(daemon.pid): daemon for daemon in self.daemons}
        try:
            ready = select.select([*watched, *files], [], [], seconds)[0]
        finally:
            for one in watched:
                os.close(one)
        for one in ready:
            if one in watched:
                name = watched[one].args[0]
                raise Unusable("%s ended with status %d: %s" % (name, watched[one].wait(), "; ".join(self.log(name).splitlines()[-3:])))
        return bool(ready)

    def answers(self, expected, *words):
        """Repeats the command until it succeeds and prints the expected text: a daemon does not announce that it
        listens."""
        end = time.monotonic() + START_S
        while True:
            asked = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if asked.returncode == 0 and expected in asked.stdout:
                return
            if time.monotonic() > end:
                raise AssertionError("%s: expected %r within %d s, found status %d: %s\n%s" % (
                    " ".join(words), expected, START_S, asked.returncode, asked.stdout,
                    "\n".join("---- %s\n%s" % (daemon.args[0], self.log(daemon.args[0])) for daemon in self.daemons)))
            self.wait(0.05)

    def __enter__(self):
        try:
            check_machine()
            self.configure()
            munge = self.folder + "/munge"
            self.start("munged", "--foreground", "--key-file=%s/key" % munge, "--socket=%s/socket" % munge, "--pid-file=%s/pid" % munge,
                       "--seed-file=%s/seed" % munge, "--log-file=%s/log" % munge)
            self.answers("", "munge", "--no-input", "--socket=%s/socket" % munge)
            self.start("slurmctld", "-D", "-i")
            self.answers("", "scontrol", "ping")
            node = socket.gethostname().partition(".")[0]
            self.start("slurmd", "-D", "-N", node)
            self.answers("State=IDLE ", "scontrol", "show", "node", node)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
