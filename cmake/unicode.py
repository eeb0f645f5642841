#!/usr/bin/env python3
"""unicode.py - writes lib/text/unicode_data.h: python3 cmake/unicode.py > lib/text/unicode_data.h

The facts come from the module unicodedata2 (pip install unicodedata2), which follows the newest Unicode, or from Python's own
unicodedata. Each table is a text of numbers in base 45. A character below 45 ends a number, one from 45 on continues it.
"""
import sys
try:
    import unicodedata2 as facts
except ImportError:
    import unicodedata as facts

DIGITS = [chr(c) for c in range(35, 127) if chr(c) not in '\\?'][:90]
NAMES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn'.split()
ALL = range(0x110000)


def number(n):
    text = ''
    while n >= 45:
        text += DIGITS[45 + n % 45]
        n //= 45
    return text + DIGITS[n]


def signed(n):
    return number(2 * n if n >= 0 else -2 * n - 1)


def runs(value):
    """Runs of equal values: (first, length, value)."""
    result, first = [], 0
    for c in ALL:
        if c + 1 == 0x110000 or value(c + 1) != value(first):
            result.append((first, c + 1 - first, value(first)))
            first = c + 1
    return result


def table(name, parts):
    text = ''.join(parts)
    print('static const char %s[] =' % name)
    lines = [text[i:i + 118] for i in range(0, len(text), 118)]
    print('\n'.join('  "%s"' % line.replace('"', '\\"') for line in lines) + ';')


def lower(c):
    text = chr(c).lower()
    return ord(text) if len(text) == 1 else c


def decomposition(c):
    """(is compatible, code points) of one level; None for Hangul and characters without."""
    text = facts.decomposition(chr(c))
    if not text or 0xAC00 <= c <= 0xD7A3:
        return None
    words = text.split()
    compatible = words[0][0] == '<'
    return compatible, [int(w, 16) for w in words[compatible:]]


def main():
    categories = runs(lambda c: NAMES.index(facts.category(chr(c))))
    classes = [r for r in runs(lambda c: facts.combining(chr(c))) if r[2]]
    lowers = [(c, lower(c)) for c in ALL if lower(c) != c]
    decomposed = [(c, *decomposition(c)) for c in ALL if decomposition(c)]
    print('/* unicode_data.h - tables of Unicode %s, written by cmake/unicode.py, which explains the form. */'
          % facts.unidata_version)
    print('/* clang-format off */')
    print('#define UNICODE_VERSION "%s"' % facts.unidata_version)
    print('enum { CATEGORY_RUNS = %d, CLASS_RUNS = %d, LOWERS = %d, DECOMPOSITIONS = %d, DECOMPOSED = %d };' % (
        len(categories), len(classes), len(lowers), len(decomposed), sum(len(d[2]) for d in decomposed)))
    print('/* Length of each run and its category, a number of enum category. */')
    table('category_text', [number(n) + number(v) for _, n, v in categories])
    print('/* The gap before each run, its length, and the combining class. */')
    last, parts = 0, []
    for first, n, v in classes:
        parts.append(number(first - last) + number(n) + number(v))
        last = first + n
    table('class_text', parts)
    print('/* The step from the last character, and the signed distance to the lower case. */')
    last, parts = 0, []
    for c, low in lowers:
        parts.append(number(c - last) + signed(low - c))
        last = c
    table('lower_text', parts)
    print('/* The step from the last character; 4 x length + 2 if NFC does not compose it + 1 if it is compatible; signed')
    print(' * distances between the parts. */')
    last, parts = 0, []
    for c, compatible, codes in decomposed:
        kept = facts.normalize('NFC', chr(c)) != chr(c)
        parts.append(number(c - last) + number(4 * len(codes) + 2 * kept + compatible))
        here = c
        for code in codes:
            parts.append(signed(code - here))
            here = code
        last = c
    table('decomposition_text', parts)
    print('/* clang-format on */')


if __name__ == '__main__':
    sys.exit(main())
