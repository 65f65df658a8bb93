"""plan.py: makes the list of jobs of a campaign from its options."""
import fnmatch
import glob
import hashlib
import json
import os
import subprocess

PARTS_OF_MUTATION = 16
BUILD = "build it: tests/campaign without --build does"


class Unusable(Exception):
    """The request cannot be done; the text says why and what to do."""


def device_words(device):
    """Returns the options that select it, which agpu_inprocess and agpu run share."""
    if device == "model":
        return []
    if device.startswith("fault:"):
        return ["--fault", device[6:]]
    if "/" in device or device.endswith(".so"):
        if not os.path.isfile(device):
            raise Unusable("there is no plug-in %s" % device)
        return ["--device", os.path.realpath(device)]
    return ["--abi", device]


def firmware_files(firmware):
    """Returns code and variables."""
    code, _, variables = firmware.partition(":")
    if firmware == "ovmf":
        code, variables = os.environ.get("AGPU_OVMF_CODE", ""), os.environ.get("AGPU_OVMF_VARS", "")
    for path in (code, variables):
        if not os.path.isfile(path):
            raise Unusable("firmware %s: expected the files CODE:VARS, found no %s" % (firmware, path or "second one"))
    return os.path.realpath(code), os.path.realpath(variables)


def short_name(what):
    """A device or a firmware as part of a job's name."""
    if what.startswith("fault:"):
        return what.replace(":", "-")
    return os.path.basename(what.partition(":")[0])


class Plan:
    """The list under construction, and the programs that it uses."""

    def __init__(self, root, build, options):
        self.root, self.build, self.options = root, build, options
        self.jobs = []
        self.programs = set()

    def add(self, kind, name, command, **keys):
        self.jobs.append({"name": name, "kind": kind, "command": command, "limit_s": self.options.limit, **keys})

    def program(self, path, remedy=BUILD):
        if not os.path.isfile(path):
            raise Unusable("there is no %s: %s" % (path, remedy))
        self.programs.add(path)
        return path

    def runs(self):
        """The catalogue x devices x firmwares, in parts."""
        options = self.options
        parts = options.parts or 1
        agpu = self.program(self.build + "/tests/host/agpu")
        for firmware in options.firmware:
            keys = {}
            if firmware == "none":
                tool = [self.program(self.build + "/tests/host_platform/agpu_inprocess"), "--records"]
                keys["report"] = [agpu, "report", "--serial", "{log}", "--out", "{out}"]
            else:
                code, variables = firmware_files(firmware)
                self.programs.update((code, variables))
                tool = [agpu, "run", "--out", "{out}", "--image", self.program(self.root + "/build/image/efi/agpu.img"),
                        "--qemu", os.environ.get("AGPU_QEMU", "qemu-system-x86_64"), "--ovmf-code", code, "--ovmf-vars", variables]
            for device in options.device or ["model", "legacy"]:
                setting = {} if firmware == "ovmf" else {"variant": "firmware " + short_name(firmware)}
                if device.startswith("fault:"):
                    setting["fault"] = device[6:]
                    self.program("%s/variants/%s/agpu_model.so" % (self.build, device[6:]),
                                 "python3 tests/faults/faults.py build . %s %s builds it" % (self.build, device[6:]))
                words = device_words(device)
                self.programs.update(words[1:] if words[:1] == ["--device"] else [])
                for part in range(1, parts + 1):
                    command = tool + words
                    command += ["--filter", options.filter] if options.filter else []
                    command += ["--shard", "%d/%d" % (part, parts)] if parts > 1 else []
                    self.add("run", "run.%s.%s.%dof%d" % (short_name(device), short_name(firmware), part, parts), command,
                             setting=setting, **keys)

    def mutations(self):
        """The defects, in parts."""
        options = self.options
        mutate = self.root + "/tests/mutate"
        listed = subprocess.run([mutate, "--list", "--fault", options.fault], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, check=False)
        if listed.returncode != 0:
            raise Unusable(listed.stderr.strip())
        # A part without a defect would be no run.
        parts = min(options.parts or PARTS_OF_MUTATION, len(listed.stdout.splitlines()))
        self.program(self.build + "/tests/host_platform/agpu_inprocess")
        self.programs.update(glob.glob(self.root + "/tests/faults/*.faults"))
        for part in range(1, parts + 1):
            self.add("mutate", "mutate.%dof%d" % (part, parts),
                     [mutate, "--build", self.build, "--jobs", "1", "--as", options.as_whom,
                      "--shard", "%d/%d" % (part, parts), "--fault", options.fault, "--json", "{out}/mutate.json"])

    def fuzzers(self):
        """Starts them as ctest does, each with a directory of its own."""
        folder = self.options.asan or self.root + "/build/asan"
        if not os.path.isfile(folder + "/CTestTestfile.cmake"):
            raise Unusable("there is no build with fuzz targets in %s: %s" % (folder, BUILD))
        shown = subprocess.run(["ctest", "--test-dir", folder, "-L", "^fuzz$", "--show-only=json-v1"],
                               stdout=subprocess.PIPE, check=True)
        for test in json.loads(shown.stdout)["tests"]:
            target = test["name"].partition(".")[2]
            if fnmatch.fnmatchcase(target, self.options.target):
                _, script, fuzzer, corpus, _, *inputs = test["command"]
                self.program(fuzzer)
                self.add("fuzz", "fuzz." + target, ["bash", script, fuzzer, corpus, "{out}/search", *inputs],
                         environment={"AGPU_FUZZ_SECONDS": str(self.options.seconds)})

    def text(self):
        """Returns the list as stored: the same programs and arguments give the same list."""
        digest = hashlib.sha256()
        for path in sorted(self.programs):
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
        return json.dumps({"build": digest.hexdigest()[:16], "jobs": self.jobs}, indent=1) + "\n"


def make(root, build, options, kinds):
    """Returns the list of jobs as text. Raises Unusable."""
    plan = Plan(root, build, options)
    for kind, add in (("run", plan.runs), ("mutate", plan.mutations), ("fuzz", plan.fuzzers)):
        if kind in kinds:
            add()
    names = [job["name"] for job in plan.jobs]
    if not names:
        raise Unusable("the options leave no job: --target names the fuzz targets")
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise Unusable("two jobs would be called %s: give it once, or name the files otherwise" % double[0])
    return plan.text()
