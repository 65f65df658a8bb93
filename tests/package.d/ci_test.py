#!/usr/bin/python3
"""ci_test.py FOLDER AGPU: checks the files for continuous integration in FOLDER: YAML with valid keys of GitHub
and GitLab, scripts that bash can parse, and agpu-ci run as GitHub would run it, with a device that prints text which
the runner would take as commands."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("SKIP: needs python3-yaml")
    sys.exit(77)

FOLDER, AGPU = sys.argv[1:3]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "report"))
from results import Results  # noqa: E402

ACTION = {"name", "description", "inputs", "runs"}
STEP = {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory", "continue-on-error", "timeout-minutes"}
WORKFLOW = {"name", "on", "permissions", "env", "concurrency", "jobs"}
JOB = {"name", "runs-on", "container", "timeout-minutes", "steps", "env", "needs", "if", "permissions", "strategy"}
GITLAB = {"image", "timeout", "variables", "before_script", "script", "artifacts", "extends", "stage", "rules", "needs", "tags"}
ARTIFACTS = {"when", "expose_as", "paths", "reports", "expire_in", "name"}


class Strict(yaml.SafeLoader):
    """Refuses a duplicate key; `on` is a string."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    assert len(set(keys)) == len(keys), "a key twice: %s" % keys
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


Strict.add_constructor("tag:yaml.org,2002:map", mapping)
Strict.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:bool"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def load(name):
    with open(os.path.join(FOLDER, name)) as file:
        return yaml.load(file, Strict)


def keys_of(what, value, known):
    assert isinstance(value, dict) and set(value) <= known, "%s: not known: %s" % (what, set(value) - known)


def check_script(what, text):
    # An expression would become part of the script, whatever its value; env: passes values safely.
    assert "${{" not in text, "%s: an expression in a script" % what
    done = subprocess.run(["bash", "-n"], input=text, text=True, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, "%s: %s" % (what, done.stderr)


def check_steps(what, steps, composite):
    for step in steps:
        keys_of(what, step, STEP)
        assert ("uses" in step) != ("run" in step), "%s: a step either uses or runs: %s" % (what, step)
        if "run" in step:
            assert not composite or "shell" in step, "%s: a step of an action names its shell: %s" % (what, step)
            check_script(what, step["run"])
        elif not step["uses"].startswith("./"):
            assert re.fullmatch(r"[\w.-]+(/[\w.-]+)+@v\d+", step["uses"]), "%s: of no version: %s" % (what, step["uses"])


def check_action(action):
    keys_of("action.yml", action, ACTION)
    assert action["name"] and action["description"] and action["runs"]["using"] == "composite"
    for name, given in action["inputs"].items():
        assert given["description"] and "default" in given, "%s says nothing of itself" % name
    check_steps("action.yml", action["runs"]["steps"], True)
    used = set(re.findall(r"inputs\.(\w+)", json.dumps(action)))
    assert used == set(action["inputs"]), "inputs that are used, and that there are: %s, %s" % (used, set(action["inputs"]))


def check_workflow(workflow, action):
    keys_of("workflow.yml", workflow, WORKFLOW)
    assert workflow["on"] and workflow["jobs"]
    for name, job in workflow["jobs"].items():
        keys_of(name, job, JOB)
        assert job["runs-on"] and job["steps"]
        check_steps(name, job["steps"], False)
        own = [step for step in job["steps"] if step.get("uses", "").startswith("./")]
        assert own and all(set(step["with"]) <= set(action["inputs"]) for step in own), own


def check_gitlab(gitlab):
    job = gitlab[".agpu"]
    keys_of("gitlab.yml", job, GITLAB)
    keys_of("gitlab.yml", job["artifacts"], ARTIFACTS)
    assert job["artifacts"]["when"] == "always" and job["artifacts"]["reports"]["junit"].startswith(job["artifacts"]["paths"][0])
    for line in job["before_script"] + job["script"]:
        check_script("gitlab.yml", line)


def stand_in(folder):
    """Makes a directory for PATH: an agpu whose runs were made before, and agpu-ci."""
    made = Results(folder + "/made")
    made.say("plan", "-", count=3, build="b", device="A3A0:0001 00:04.0 abi=1.4")
    made.case("ring.wrap.slots")
    made.case("ring.wrap.wild", "FAIL", checks=[dict(expr="::error::of the device %0A\n::set-env name=PATH::x", expected="5", actual="6",
                                                     file="../../tests/cases/ring/submit.c", line=12)])
    made.case("fence.a", "SKIP", reason="not tried,\n::error::x")
    made.write()
    os.mkdir(folder + "/bin")
    with open(folder + "/bin/agpu", "w") as file:
        file.write("#!/bin/bash\n[ \"$1\" = run ] || exec %s \"$@\"\n"
                   "[ \"$2 $4\" = '--out --device' ] && [ \"$5\" = './my device.so' ] || exit 9\n"
                   "cp -r %s/made \"$3\" && printf 'FAIL ring.wrap.wild\\n         ::error::said by a device\\n\\nFAIL  1 pass\\n'\n"
                   "exit 1\n" % (AGPU, folder))
    os.chmod(folder + "/bin/agpu", 0o755)
    shutil.copy(FOLDER + "/agpu-ci", folder + "/bin")


def check_run(action):
    script = next(step["run"] for step in action["runs"]["steps"] if "agpu-ci" in step.get("run", ""))
    with tempfile.TemporaryDirectory() as folder:
        stand_in(folder)
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, text=True, check=False,
                              stdout=subprocess.PIPE, env={"PATH": folder + "/bin:" + os.environ["PATH"], "GITHUB_ACTIONS": "true",
                                                           "GITHUB_STEP_SUMMARY": folder + "/summary",
                                                           "ARGUMENTS": "--device\n./my device.so\n"})
        assert done.returncode == 1, done
        lines = done.stdout.splitlines()
        token = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0]).group(1)
        commands = [line.strip() for line in lines[lines.index("::%s::" % token) + 1:] if line.lstrip().startswith("::")]
        kinds = [re.match(r"::(error|warning|notice) [^:]*::", command).group(1) for command in commands]
        assert kinds.count("error") >= 1 and kinds[-2:] == ["warning", "notice"], done.stdout
        failure = next(command for command in commands if "ring.wrap.wild" in command)
        assert failure.startswith("::error file=tests/cases/ring/submit.c,line=12,title=FAIL ring.wrap.wild::"), failure
        assert "of the device %250A" in failure, failure
        with open(folder + "/summary") as file:
            summary = file.read()
        assert "status 1" in summary and "    FAIL  1 pass" in summary and "said by a device" not in summary, summary


shape = load("action.yml")
check_action(shape)
check_workflow(load("workflow.yml"), shape)
check_gitlab(load("gitlab.yml"))
check_run(shape)
linter = shutil.which("yamllint")
if linter is not None:
    subprocess.run([linter, "--strict", "-d", "{extends: default, rules: {line-length: {max: 140}, document-start: disable, "
                    "truthy: {check-keys: false}}}", FOLDER], check=True)
