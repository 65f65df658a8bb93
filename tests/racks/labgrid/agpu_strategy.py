"""agpu_strategy.py: labgrid puts a configuration on a board's boot medium, powers the board, and has `agpu listen` collect its run.

labgrid loads this file by `imports:` in an environment (board.yaml), which names drivers and settings:

  AgpuStrategy:
    image:     key of images: agpu.img, or agpu.cfg of a boot server, as it was built; stays as it is
    medium:    key of images: the file that this board boots from, or is configured by, which becomes a copy of it with the settings.
               With a USBStorageDriver (a stick, an SD mux) the copy is written to that, too
    settings:  KEY: VALUE of agpu.cfg (efi/config.def)
  AgpuDriver:
    results:   key of paths: where result folders go, one per run
    collect:   serial (the board's console, default), or network (UDP and TCP)
    options:   further words of agpu listen, as --key FILE --port 6666
    timeout:   seconds from power to the end of the run (default 900)

States of the strategy: off; ready (off, the medium written); done (has run; AgpuDriver.status is the exit status of agpu listen, and
AgpuDriver.folder what it wrote)."""
import enum
import os
import shlex
import shutil
import subprocess
import tempfile
import time

import attr
from labgrid import step, target_factory
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.strategy import Strategy, StrategyError
from pexpect import TIMEOUT


def tool(target):
    """The program agpu: tools: agpu of the environment, or the installed one."""
    return target.env.config.get_tool("agpu") or "agpu"


@target_factory.reg_driver
@attr.s(eq=False)
class AgpuDriver(Driver):
    """Collects one run at a time. Start it before the board gets power, so that no output of the board is
    lost."""
    bindings = {"console": {"ConsoleProtocol", None}}
    results = attr.ib(validator=attr.validators.instance_of(str))
    collect = attr.ib(default="serial", validator=attr.validators.in_(["serial", "network"]))
    options = attr.ib(default="", validator=attr.validators.instance_of(str))
    timeout = attr.ib(default=900, validator=attr.validators.instance_of(int))

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.folder = None
        self.status = None
        self._listener = None
        if self.collect == "serial" and self.console is None:
            raise ExecutionError("collect: serial needs a driver for the board's console (SerialDriver), found none")

    def on_deactivate(self):
        self.stop()

    @Driver.check_active
    @step()
    def start(self):
        """Starts to listen, with a new result directory."""
        self.stop()
        base = self.target.env.config.get_path(self.results)
        os.makedirs(base, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix=time.strftime("%Y%m%d-%H%M%S-") + self.target.name + "-", dir=base)
        self.status = None
        words = [tool(self.target), "listen", "--out", self.folder, *shlex.split(self.options)]
        if self.collect == "serial":
            words += ["--serial", "-"]
        with open(os.path.join(self.folder, "listen.log"), "wb") as log:
            self._listener = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT,
                                              stdin=subprocess.PIPE if self.collect == "serial" else subprocess.DEVNULL)

    @Driver.check_active
    @step(result=True)
    def wait(self):
        """Waits until the run has ended, or its time is over. Returns the exit status of agpu listen: 0 if it
        passed."""
        if self._listener is None:
            raise ExecutionError("nothing listens: start() comes first")
        end = time.monotonic() + self.timeout
        while self._listener.poll() is None and time.monotonic() < end:
            if self.collect == "serial":
                self._pump()
            else:
                try:
                    self._listener.wait(max(0.0, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    break
        late = self._listener.poll() is None
        self.stop()
        if late:
            raise ExecutionError("the run did not end within %d s of power-on; see %s" % (self.timeout, self.folder))
        return self.status

    def _pump(self):
        try:
            data = self.console.read(4096, timeout=0.5)
        except TIMEOUT:
            return
        try:
            if data:
                self._listener.stdin.write(data)
                self._listener.stdin.flush()
            else:
                # Some drivers raise this when there is no data, also at the very end.
                self._listener.wait(0.2)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            pass

    def stop(self):
        """Ends the listener, which writes reports of what it has received."""
        listener, self._listener = self._listener, None
        if listener is None:
            return
        if listener.stdin is not None and not listener.stdin.closed:
            try:
                listener.stdin.close()
            except BrokenPipeError:
                pass  # It has received the end.
        elif listener.poll() is None:
            listener.terminate()
        try:
            self.status = listener.wait(30)
        except subprocess.TimeoutExpired:
            listener.kill()
            self.status = listener.wait()


class Status(enum.Enum):
    """States of a board."""
    unknown = 0
    off = 1
    ready = 2
    done = 3


@target_factory.reg_driver
@attr.s(eq=False)
class AgpuStrategy(Strategy):
    """States off, configured, and through a run."""
    bindings = {"power": "PowerProtocol", "run": "AgpuDriver", "console": {"ConsoleProtocol", None},
                "storage": {"USBStorageDriver", None}}
    image = attr.ib(validator=attr.validators.instance_of(str))
    medium = attr.ib(validator=attr.validators.instance_of(str))
    settings = attr.ib(factory=dict, validator=attr.validators.instance_of(dict))
    status = attr.ib(default=Status.unknown)

    @step(args=["status"])
    def transition(self, status, *, step):  # pylint: disable=redefined-outer-name
        status = status if isinstance(status, Status) else Status[status]
        if status == Status.unknown:
            raise StrategyError("can not transition to %s" % status)
        if status == self.status and status != Status.done:
            step.skip("nothing to do")
            return
        if status == Status.off:
            self.target.activate(self.power)
            self.power.off()
        elif status == Status.ready:
            self.transition(Status.off)  # pylint: disable=missing-kwoa
            self.configure()
        else:
            self.transition(Status.ready)  # pylint: disable=missing-kwoa
            self.boot()
        self.status = status

    def configure(self):
        """Writes the medium, unless the image would not understand a setting."""
        config = self.target.env.config
        image, medium = config.get_image_path(self.image), config.get_image_path(self.medium)
        shutil.copyfile(image, medium)
        words = ["%s=%s" % (key, value) for key, value in self.settings.items()]
        done = subprocess.run([tool(self.target), "cfg", medium, *(words or ["--check"])], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise StrategyError("agpu cfg %s: %s" % (medium, done.stdout))
        if self.storage is not None:
            self.target.activate(self.storage)
            self.storage.write_image(medium)
            self.target.deactivate(self.storage)

    def boot(self):
        """Power on, the run, power off, whatever the verdict."""
        if self.console is not None:
            self.target.activate(self.console)
        self.target.activate(self.run)
        self.run.start()
        try:
            self.power.on()
            self.run.wait()
        finally:
            self.power.off()
            self.status = Status.off
