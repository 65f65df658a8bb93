"""syntax.py: finds the mutants of a source file on the compiler's syntax tree (clang -ast-dump=json)."""
import functools
import json
import os
import re
import subprocess

RELATIONAL = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",),
}
OTHER_BINARY = {
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",),
    "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",),
    "&&": ("||",), "||": ("&&",),
}
ASSIGNMENT = {
    "+=": ("-=", "="), "-=": ("+=", "="), "|=": ("&=", "="), "&=": ("|=", "="),
    "<<=": (">>=",), ">>=": ("<<=",), "*=": ("/=",), "/=": ("*=",),
}


class Mutant:
    def __init__(self, file, function, operator, begin, end, old, new, line, there):
        self.file, self.function, self.operator = file, function, operator
        self.begin, self.end, self.old, self.new = begin, end, old, new
        self.line, self.there = line, there  # there: the text of the line
        self.nth = 0
        self.verdict = self.by = ""
        self.seconds = 0.0

    def key(self):
        """Returns a name that stays valid as long as the function has this line, wherever it moves."""
        return "\t".join((self.file, self.function, self.operator, self.change(), self.there, str(self.nth)))

    def change(self):
        return " ".join(self.old.split()) + " -> " + " ".join(self.new.split())


# Called for each node, with few different files.
real = functools.lru_cache(maxsize=None)(os.path.realpath)


class Tree:
    """The mutants of one source file."""

    def __init__(self, source, name, text, syntax):
        self.source, self.name, self.text = source, name, text
        self.here = None  # file of the last location: the dump names it only when it changes
        self.function = ""
        self.found = []
        self.visit(syntax, None)

    def bare(self, location):
        if "file" in location:
            self.here = location["file"]
        return self.here

    def place(self, location):
        """Returns start and end of the token, and whether a macro made it; None if it is in another file."""
        if not location:
            return None
        macro = "spellingLoc" in location
        if macro:
            self.bare(location["spellingLoc"])
            location = location["expansionLoc"]
        if real(self.bare(location) or "") != self.source or "offset" not in location:
            return None
        begin = location["offset"]
        return begin, begin + location["tokLen"], macro

    def locate(self, node):
        self.place(node.get("loc"))
        extent = node.get("range", {})
        begin, end = self.place(extent.get("begin")), self.place(extent.get("end"))
        node["from"] = begin[0] if begin else None
        node["to"] = end[1] if end else None
        # For a macro with arguments only the end of its name is known.
        if end and end[2] and self.text[end[1]:end[1] + 2].lstrip().startswith(b"("):
            node["to"] = None
        node["macro"] = bool((begin and begin[2]) or (end and end[2]))

    def add(self, operator, begin, end, new):
        old = self.text[begin:end].decode()
        line = self.text.count(b"\n", 0, begin) + 1
        if new != old:
            there = self.text.split(b"\n")[line - 1].decode()
            self.found.append(Mutant(self.name, self.function, operator, begin, end, old, new, line,
                                     " ".join(there.split())))

    def replace_between(self, operator, left, right, old, choices):
        begin, end = left.get("to"), right.get("from")
        if begin is None or end is None or end <= begin:
            return
        between = self.text[begin:end]
        if between.count(old.encode()) != 1:
            return
        begin += between.index(old.encode())
        for new in choices:
            self.add(operator, begin, begin + len(old), new)

    def whole(self, node):
        begin, end = node.get("from"), node.get("to")
        return (begin, end) if begin is not None and end is not None and begin < end else None

    def negate(self, node):
        extent = self.whole(node)
        if extent:
            text = self.text[extent[0]:extent[1]].decode()
            self.add("condition", *extent, "!(%s)" % text)

    def visit(self, node, parent):
        self.locate(node)
        kind = node.get("kind")
        if kind == "FunctionDecl":
            self.function = node.get("name", "")
        inner = [child for child in node.get("inner", [])]
        for child in inner:
            if child.get("kind"):
                self.visit(child, node)
        if node["from"] is None or not self.function or node.get("isImplicit"):
            return
        if kind == "BinaryOperator" and len(inner) == 2:
            code = node["opcode"]
            if code in RELATIONAL:
                self.replace_between("relational", inner[0], inner[1], code, RELATIONAL[code])
            elif code in OTHER_BINARY:
                self.replace_between("logical" if code in ("&&", "||") else "arithmetic",
                                     inner[0], inner[1], code, OTHER_BINARY[code])
        elif kind == "CompoundAssignOperator":
            self.replace_between("assignment", inner[0], inner[1], node["opcode"], ASSIGNMENT.get(node["opcode"], ()))
        elif kind == "UnaryOperator" and not node["macro"]:
            code, begin, end = node["opcode"], node["from"], node["to"]
            if code in ("!", "~") and self.text[begin:begin + 1] == code.encode():
                self.add("unary", begin, begin + 1, "")
            elif code in ("++", "--") and end is not None:
                new = "--" if code == "++" else "++"
                if node.get("isPostfix"):
                    begin = end - 2
                if self.text[begin:begin + 2] == code.encode():
                    self.add("unary", begin, begin + 2, new)
        elif kind == "IntegerLiteral" and not node["macro"] and (parent or {}).get("kind") != "CaseStmt":
            text = self.text[node["from"]:node["to"]].decode()
            match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
            if match:
                value = int(match[1], 0) if match[1] == "0" or not match[1].startswith("0") or "x" in match[1].lower() \
                    else int(match[1], 8)
                for new in (value + 1, value - 1):
                    if new >= 0:
                        self.add("constant", node["from"], node["to"], "%d%s" % (new, match[2]))
        elif kind in ("IfStmt", "WhileStmt", "ConditionalOperator") and inner:
            if inner[0].get("opcode") not in ("==", "!=", "!"):  # negated already
                self.negate(inner[0])
        elif kind == "ForStmt" and len(inner) == 5 and inner[2].get("kind"):
            self.negate(inner[2])
        elif kind == "DoStmt" and len(inner) == 2:
            self.negate(inner[1])
        elif kind == "ReturnStmt" and inner and inner[0].get("type", {}).get("qualType") in ("bool", "_Bool"):
            extent = self.whole(inner[0])
            if extent:
                self.add("return", *extent, "!(%s)" % self.text[extent[0]:extent[1]].decode())
        elif kind == "CallExpr":
            for one, two in zip(inner[1:], inner[2:]):
                first, second = self.whole(one), self.whole(two)
                if first and second and one.get("type", {}).get("qualType") == two.get("type", {}).get("qualType"):
                    a = self.text[first[0]:first[1]]
                    b = self.text[second[0]:second[1]]
                    if a != b:
                        self.add("arguments", first[0], second[1],
                                 (b + self.text[first[1]:second[0]] + a).decode())
        if kind in ("CompoundStmt", "IfStmt", "ForStmt", "WhileStmt", "CaseStmt", "DefaultStmt"):
            for child in inner:
                self.drop(child)

    def drop(self, node):
        kind = node.get("kind")
        extent = self.whole(node) if kind else None
        if extent and (kind in ("CallExpr", "CompoundAssignOperator") or
                       kind == "BinaryOperator" and node.get("opcode") == "=" or
                       kind == "UnaryOperator" and node.get("opcode") in ("++", "--")):
            after = self.text[extent[1]:extent[1] + 1]
            if after == b";":
                self.add("dropped", *extent, "(void)0")


def mutants_of(build, name):
    source = os.path.join(build.root, name)
    # Options that affect the syntax tree: others are about code generation, and gcc's.
    words = [w for w in build.compile[name][1:] if w.startswith(("-I", "-D", "-std", "-ffreestanding"))]
    told = subprocess.run(["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", *words, source],
                          cwd=build.folder, capture_output=True)
    if told.returncode != 0:
        raise SystemExit("%s: %s" % (name, told.stderr.decode()))
    found = Tree(os.path.realpath(source), name, open(source, "rb").read(), json.loads(told.stdout)).found
    seen = {}
    found = sorted({(m.begin, m.end, m.new): m for m in found}.values(), key=lambda m: (m.begin, m.end, m.new))
    for mutant in found:
        count = seen[mutant.key()] = seen.get(mutant.key(), 0) + 1
        mutant.nth = count
    return found
