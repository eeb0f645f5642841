# test/onnx/signatures.py - writes lua/onnx/signatures.lua from the schemas of the package onnx: python test/onnx/signatures.py > FILE.
from collections import OrderedDict

from onnx import defs

LETTERS = {
    "float": "f", "double": "d", "float16": "h", "bfloat16": "g", "int8": "1", "int16": "2", "int32": "4", "int64": "8",
    "uint8": "a", "uint16": "b", "uint32": "c", "uint64": "e", "bool": "o", "string": "s", "complex64": "x", "complex128": "y",
    "int4": "n", "uint4": "n", "int2": "n", "uint2": "n", "float4e2m1": "n",
}
ATTRIBUTES = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I", "STRINGS": "S",
              "TENSORS": "T", "GRAPHS": "G", "SPARSE_TENSOR": "p", "TYPE_PROTO": "y"}


def letter(name):
    if name.startswith("tensor("):
        inner = name[7:-1]
        return "5" if inner.startswith("float8") else LETTERS.get(inner, "")
    return {"seq": "q", "opt": "p", "map": "m"}.get(name[:3], "")


ORDER = "fdhg1248abceosxy5nqpm"
NUMBERS = set("fdhg1248abce")


def letters(names):
    found = {letter(n) for n in names} - {""}
    if NUMBERS <= found:
        found = (found - NUMBERS) | {"N"}
    return "".join(c for c in "N" + ORDER if c in found)


def signature(versions):
    last = versions[-1]
    least = min(s.min_input for s in versions)
    most = max(max(s.max_input, len(s.inputs)) for s in versions)
    variables, tokens = OrderedDict(), []
    longest = max(versions, key=lambda s: len(s.inputs))
    for i, formal in enumerate(list(last.inputs) + list(longest.inputs)[len(last.inputs):]):
        kind = formal.type_str
        types = set(formal.types)
        for s in versions:
            if i < len(s.inputs):
                types |= set(s.inputs[i].types)
        same = "" if formal.is_homogeneous else "~"
        option = {"Optional": "?", "Variadic": "*"}.get(formal.option.name, "")
        if "(" in kind:
            tokens.append(f"={letters(types)}{option}")
        else:
            variables.setdefault(kind, set()).update(types)
            tokens.append(f"{kind}{same}{option}")
    attributes = OrderedDict()
    for s in versions:
        for name, a in s.attributes.items():
            attributes.setdefault(name, set()).add(ATTRIBUTES[a.type.name])
    text = " ".join(tokens) + " > " + " ".join(f"{k}={letters(v)}" for k, v in variables.items())
    needed = {n for n in attributes if all(n in s.attributes and s.attributes[n].required for s in versions)}
    text += " > " + " ".join(f"{n}:{''.join(sorted(k))}{'!' if n in needed else ''}" for n, k in sorted(attributes.items()))
    most = "-1" if most > 1000 or any(f.option.name == "Variadic" for f in last.inputs) else str(most)
    return least, most, text.rstrip()


def main():
    ops = {}
    for s in defs.get_all_schemas_with_history():
        ops.setdefault((s.domain, s.name), []).append(s)
    print("-- lua/onnx/signatures.lua - inputs, types and attributes of the ops of ONNX; test/onnx/signatures.py writes this file.")
    print("--")
    print("-- name = { fewest inputs, most inputs (-1: any), 'inputs > types > attributes' }. An input is a type variable or = and")
    print("-- types, then ? if it is optional, * if it may repeat, ~ if its repetitions may have several types. All versions of an op")
    print("-- together: types and attributes of any of them. Letters of types: f float, d double, h float16, g bfloat16, 1 2 4 8 int8 to")
    print("-- int64, a b c e uint8 to uint64, N all of these, o bool, s string, x y complex, 5 floats of 8 bits, n numbers of 4 and 2 bits,")
    print("-- q sequence, p optional, m map. Letters of attributes: f i s t g float, int, string, tensor, graph; capitals are lists of")
    print("-- them; p sparse tensor, y type; ! is required.")
    print("return {")
    for (domain, name), versions in sorted(ops.items()):
        least, most, text = signature(sorted(versions, key=lambda s: s.since_version))
        key = name if domain == "" else f"['{domain}.{name}']"
        line = f"   {key} = {{ {least}, {most}, '{text}' }},"
        while len(line) > 128:
            cut = line.rfind(" ", 0, 118)
            print(line[:cut] + " '")
            line = "      .. '" + line[cut + 1:]
        print(line)
    print("}")


main()
