"""Runs the catalogue on a device with the reference beside it (beside.c).

reference.py run     INPROCESS BESIDE MODEL VARIANTS [I/N]                the model and the reference must agree, in shard I
reference.py device  INPROCESS BESIDE MODEL VARIANTS ROOT                 they must disagree on each of DEVICE
reference.py planted INPROCESS BESIDE MODEL VARIANTS ROOT CC OBJECT...   ... and with each mistake of PLANTED
reference.py any     INPROCESS BESIDE MODEL VARIANTS ROOT CC OBJECT...   the predictions about any device
VARIANTS, a folder of the build, has the models with faults that each build makes (tests/faults).
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

# The first case uses up the device's memory, which has no size in the specification. The second writes to memory while the
# device works on it, which looks like a write of the device. Then come 66,000 equal rounds. The others stop the device in
# the middle of work, which the reference does in one step, and compare with the reference themselves.
UNBOUNDED = "!buffer.destroy.nothing_left"
WHOLE = "!ring.order.slot_read_before_head,!ring.long.*,!explore.*"
# Minimum of a whole run that must be predicted exactly: of submissions, and bytes of memory compared.
EXACT_SUBMISSIONS = 0.9
EXACT_BYTES = 10 << 20

# Faults of the model (tests/faults), with cases that reach them.
DEVICE = (
    ("copy_drops_tail", "copy.*,buffer.*"),
    ("writeback_lost", "copy.*,buffer.*"),
    ("dirty_ignored", "buffer.*"),
    ("upload_shifted", "buffer.*"),
    ("clear_swaps_rb", "render.clear*"),
    ("fence_lost", "fence.*,ring.wrap.*"),
    ("fence_late", "fence.*,ring.wrap.*"),
    ("fence_out_of_order", "fence.*,ring.wrap.*"),
    ("no_fence_page", "ring.submit.*"),
    ("error_stops_fence", "error.*"),
    ("error_count_stuck", "error.*"),
    ("irq_not_masked", "irq.*"),
    ("vblank_stuck", "vblank.*"),
    ("irq_ack_all", "irq.*"),
    ("irq_lost", "irq.*"),
    ("copy_texture_row", "texture.*"),
    ("writeback_to_readonly", "texture.*,buffer.*"),
    ("create_not_zeroed", "buffer.*,texture.*"),
    ("head_stuck", "ring.submit.*"),
    ("reset_keeps_resources", "buffer.*"),
    ("vsync_immediate", "present.*"),
    ("fb_gpa_not_staged", "scanout.*"),
    ("duplicate_alloc", "error.*"),
    ("token_reuse", "shared.*"),
    ("writes_outside", "ring.submit.*"),
)

# Cases for the predictions about any device, and faults that these must still show.
ANY = "buffer.*,copy.*,texture.*,error.*,render.clear*"
STILL = ("copy_drops_tail", "writeback_lost", "error_stops_fence")
# Differences that another device may have, in the form of PLANTED.
PERMITTED = (
    ("ring.c", "agpu_ref_error(ref, fault, desc.signal_fence);", "agpu_ref_error(ref, AEROGPU_ERROR_OOB, desc.signal_fence);",
     "error.*"),
    ("content.c", "const uint8_t opaque = 0xFF;", "const uint8_t opaque = 0xFE;", "texture.*"),
)

# Mistakes planted in the reference: file, text that occurs once, its replacement, cases.
PLANTED = (
    ("content.c", "!(write && (entry.flags & AEROGPU_ALLOC_FLAG_READONLY) != 0)", "true", "buffer.*,texture.*"),
    ("content.c", "*address = entry.gpa + offset;", "*address = entry.gpa;", "buffer.*"),
    ("content.c", "const uint8_t opaque = 0xFF;", "const uint8_t opaque = 0xFE;", "texture.*"),
    ("content.c", "(cmd->offset_bytes | cmd->size_bytes) % 4 != 0", "false", "buffer.*"),
    ("content.c", "resource == NULL || resource->alloc_id != 0 ||", "resource == NULL ||", "buffer.*,texture.*"),
    ("content.c", "(cmd->dst_y / to_level.edge + row)", "(cmd->dst_y + row)", "texture.*"),
    ("layout.c", "level.offset = layer * layer_size(texture);", "level.offset = 0;", "texture.*"),
    ("layout.c", "mip == 0 && texture->pitch != 0", "texture->pitch != 0", "texture.*"),
    ("layout.c", "square * root", "base * base * base", "texture.*,render.clear*"),
    ("layout.c", "(alpha ? 10 : 11)", "11", "texture.*,render.clear*"),
    ("layout.c", "value * levels + 0.5", "value * levels", "texture.*,render.clear*"),
    ("objects.c", "cmd->size_bytes == 0 || cmd->size_bytes % 4 != 0", "cmd->size_bytes == 0", "buffer.*,error.*"),
    ("objects.c", "retire_tokens(ref, resource);", "", "shared.*"),
    ("objects.c", "resource->usage != wanted->usage ||", "", "buffer.*,texture.*"),
    ("objects.c", "token->resource = NULL;", "(void)token;", "shared.*"),
    ("ring.c", "*fault != AEROGPU_ERROR_OOB", "*fault == AEROGPU_ERROR_NONE", "error.*"),
    ("ring.c", "|| id_before(table, stride, i, entry.alloc_id)", "", "error.*"),
    ("ring.c", "header.tail - header.head > header.entry_count", "header.tail - header.head >= header.entry_count",
     "ring.*,!ring.order.*"),
    ("ring.c", "(batch->head & (batch->count - 1))", "batch->head", "ring.wrap.*"),
    ("fence.c", "            break;\n", "", "present.*"),
    ("reference.c", "~(~value & (AEROGPU_IRQ_FENCE |", "~(~value & (0 * AEROGPU_IRQ_FENCE |", "irq.*"),
    ("reference.c", "address->staged ? ref->registers[offset / 4 - 1] :", "", "scanout.*"),
    ("ring.c", "header.size_bytes < row->smallest ||", "", "error.*"),
    ("raster.c", "return b->y < a->y || ", "return b->y > a->y || ", "render.*"),
    ("raster.c", "clockwise == (state->front_ccw == 0)", "clockwise", "render.raster.*"),
    ("raster.c", "fresh < stored", "fresh <= stored", "render.depth.*"),
    ("raster.c", "selected[i] = (mask >> i & 1) != 0 ? 0xFF : 0;", "selected[i] = 0xFF;", "render.blend.*"),
    ("raster.c", "1 - in->target_alpha", "in->target_alpha", "render.blend.*"),
    ("raster.c", "raster->colors[i];", "raster->colors[0];", "render.*"),
    ("target.c", "channels[1] >> (to_alpha ? 3 : 2) << 5", "channels[1] >> 3 << 5", "present.*,scanout.*,render.*"),
    ("draw.c", "n * 3 + 1", "n * 3", "compute.*"),
    ("draw.c", "part.offset + at", "at", "compute.*"),
    ("draw.c", "in[3], in[2]}", "in[2], in[3]}", "compute.*"),
    ("draw.c", "word * factor[0]", "word + factor[0]", "compute.*"),
    ("shade.c", "stated == UINT32_MAX ? ends[element->input_slot]", "stated == UINT32_MAX ? 0", "render.*"),
    ("shade.c", "x * 7 + y * 13", "x * 7 + y * 12", "render.*"),
    ("shade.c", "rgba[0] < 0.5f;", "rgba[0] < 0.4f;", "render.*"),
    ("shade.c", "at = at < size ? at : period - 1 - at;", "at = at < size ? at : 0;", "render.*"),
    ("shade.c", "in->x / 4", "in->x / 8", "render.*"),
    ("bind.c", "agpu_ref_named(ref, slots[i]) == resource", "false", "compute.*"),
    ("draw.c", "corners[odd], corners[1 - odd]", "corners[0], corners[1]", "render.raster.*,render.topology.*"),
    ("draw.c", "(int64_t)value + source->base", "(int64_t)value", "render.index.*,render.draw.*,render.basic.*"),
    ("draw.c", "scissor->x > raster->left", "scissor->x < raster->left", "render.raster.*"),
    ("program.c", "memcpy(&full, cmd, size);", "", "render.blend.*,render.state.*"),
    ("bind.c", "stage == AGPU_REF_VERTEX || stage == AGPU_REF_PIXEL", "stage == AGPU_REF_VERTEX", "render.refused.*"),
)


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def run(programs, options="", cases=WHOLE, whole=True, shard="1/1"):
    """Returns what the catalogue printed, its exit status, the totals, and the lines of mismatches. whole: otherwise the
    first mismatch ends the run, which then has no totals."""
    inprocess, beside, model = programs
    with tempfile.TemporaryDirectory() as work:
        report, output = os.path.join(work, "report"), os.path.join(work, "output")
        spec = f"{beside},device={model},report={report}" + (f",{options}" if options else "")
        with open(output, "wb") as file, subprocess.Popen(
                [inprocess, "--device", spec, "--as", "model", "--clock", "manual", "--records", "--quiet", "--shard", shard,
                 "--filter", f"{cases},{UNBOUNDED}"],
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True) as catalogue:
            while True:
                try:
                    catalogue.wait(timeout=None if whole else 0.05)
                    break
                except subprocess.TimeoutExpired:
                    if any(line.startswith("mismatch: ") for line in read_lines(report)):
                        os.killpg(catalogue.pid, signal.SIGKILL)
                        whole = True
        printed, lines = "\n".join(read_lines(output)), read_lines(report)
    if not lines:
        sys.exit(f"reference.py: {spec}: expected a report, found none; the run printed:\n{printed[-2000:]}")
    totals = {key: int(value) for line in lines if line.startswith("reference: ")
              for key, value in re.findall(r"(\w+)=(\d+)", line)}
    return (printed, catalogue.returncode), totals, [line for line in lines if line.startswith("mismatch: ")]


def agree(programs, *how, **shard):
    (printed, status), totals, lines = run(programs, *how, **shard)
    print(*lines[:20], f"reference: {totals}", sep="\n")
    if status != 0 or lines or not totals:
        sys.exit(f"reference.py: expected no mismatch and a passing catalogue: found {len(lines)} mismatches, "
                 f"status {status}; decide by the specification which side is wrong\n{printed[-2000:]}")
    few = totals["exact"] < EXACT_SUBMISSIONS * totals["submissions"] or totals["exact_bytes"] < EXACT_BYTES
    if not how and few:
        sys.exit("reference.py: too little was predicted exactly: see EXACT_* in this file")


def disagree(what, result):
    """Returns whether there was a mismatch, and prints the first."""
    _, totals, lines = result
    if not totals and not lines:
        print(f"{what}: the run ended without totals")
        return False
    print(f"{what}: {lines[0] if lines else 'NOT NOTICED'}", flush=True)
    return bool(lines)


def plant(programs, planted, options, whole, root, compiler, *objects):
    """Builds the plug-in with one mistake and runs the cases on it. objects: beside.c, and the libraries."""
    name, old, new, cases = planted
    with open(os.path.join(root, "tests/cases/reference", name), encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        sys.exit(f"reference.py: {name}: expected '{old}' once, found {text.count(old)} times: correct PLANTED")
    with tempfile.TemporaryDirectory() as work:
        source, plugin = os.path.join(work, name), os.path.join(work, "planted.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        # The object with the mistake is linked first, so the libraries' own are not used.
        subprocess.run([compiler, "-std=c11", "-O1", "-D_GNU_SOURCE", "-shared", "-fPIC", f"-I{root}", "-o", plugin, source,
                        *objects, "-Wl,-Bsymbolic"], check=True)
        return run((programs[0], plugin, programs[2]), options, cases, whole)


def main(command, *words):
    programs, rest = words[:3], words[4:]

    def faulty(fault, work=None):
        """The programs with the model that has the fault, which is built in work unless each build has it."""
        model = os.path.join(words[3], fault, "agpu_model.so")
        if work is not None and not os.path.exists(model):
            model = os.path.join(work, "agpu_model.so")
            subprocess.run([sys.executable, os.path.join(rest[0], "tests/faults/faults.py"), "apply", rest[0],
                            os.path.dirname(words[3]), fault, work, "tests/device/plugin/agpu_model.so"], check=True)
            subprocess.run(["bash", os.path.join(work, "build.sh")], check=True)
        return *programs[:2], model

    if command == "run":
        agree(programs, **({"shard": rest[0]} if rest else {}))
        missed = []
    elif command == "any":
        agree(programs, "as=any", ANY)
        for planted in PERMITTED:
            _, totals, lines = plant(programs, planted, "as=any", True, *rest)
            if lines or not totals:
                sys.exit(f"reference.py: {planted}: expected no mismatch with as=any, found {lines[:1]}")
        missed = [fault for fault, cases in DEVICE
                  if fault in STILL and not disagree(fault, run(faulty(fault), "as=any", cases, False))]
    elif command == "device":
        missed = []
        for fault, cases in DEVICE:
            with tempfile.TemporaryDirectory() as work:
                missed += [] if disagree(fault, run(faulty(fault, work), "", cases, False)) else [fault]
    else:
        missed = [planted for planted in PLANTED if not disagree(": ".join(planted[:2]), plant(programs, planted, "", False, *rest))]
    if missed:
        sys.exit(f"reference.py: expected a mismatch for each; {len(missed)} were not noticed: {missed}")


main(*sys.argv[1:])
