"""slurm_world.py: a Slurm cluster of one node for a test: munged, slurmctld and slurmd of this user, on loopback, in a folder that
goes away."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

START_S = 60
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")


def missing():
    """What this machine has not, a sentence; an empty one: it has all."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return "not here: %s (Debian: slurm-wlm, munge)" % ", ".join(absent)
    try:
        socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return "slurmctld looks up this machine's name, %s, and there is no address: add it to /etc/hosts" % socket.gethostname()
    return ""


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Cluster:
    """with Cluster() as cluster: the environment of this process then leads Slurm's clients to it."""

    def __init__(self, processors=2):
        self.folder = tempfile.mkdtemp(prefix="agpu-slurm-", dir="/tmp")  # munge wants a path that all may walk
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

    def logs(self):
        for name in PROGRAMS[:3]:
            try:
                with open("%s/%s.log" % (self.folder, name), encoding="utf-8", errors="replace") as file:
                    print("---- %s\n%s" % (name, file.read()[-2000:].replace("\0", "")))
            except FileNotFoundError:
                pass

    def answers(self, *words):
        """Until the command succeeds: none of these daemons says when it has begun to listen."""
        end = time.monotonic() + START_S
        while subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                self.logs()
                raise AssertionError("%s: no answer within %d s, or a daemon has ended" % (words, START_S))
            time.sleep(0.05)

    def __enter__(self):
        try:
            self.configure()
            munge = self.folder + "/munge"
            self.start("munged", "--foreground", "--key-file=%s/key" % munge, "--socket=%s/socket" % munge, "--pid-file=%s/pid" % munge,
                       "--seed-file=%s/seed" % munge, "--log-file=%s/log" % munge)
            self.answers("munge", "--no-input", "--socket=%s/socket" % munge)
            self.start("slurmctld", "-D", "-i")
            self.answers("scontrol", "ping")
            self.start("slurmd", "-D", "-N", socket.gethostname().partition(".")[0])
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
