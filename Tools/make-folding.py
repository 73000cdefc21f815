#!/usr/bin/env python3
"""Writes the tables of text folding and of word characters from the Unicode Character Database.

    Tools/make-folding.py /usr/share/unicode

The directory holds UnicodeData.txt, CaseFolding.txt and Scripts.txt of ONE version (Debian: package
unicode-data). What comes out is Sources/Reprise/Base/Text/FoldingData.swift and WordData.swift; the rules
and the layout of the data are in Specs/format/folding.md. Both are for ever: another version of
Unicode makes another version of the folding, not other bytes in this one.
"""

import base64
import os
import re
import sys

UNICODE = "15.0.0"

# Letters that carry no mark of their own by decomposition or name, and are typed without it.
SPELLED = {
    0x00C6: "AE", 0x00E6: "ae", 0x0152: "OE", 0x0153: "oe",
    0x00D0: "D", 0x00F0: "d", 0x00DE: "Th", 0x00FE: "th", 0x0131: "i",
}

# A mark is a diacritic in these scripts; in others it is a vowel or part of a letter.
MARKED = {"Inherited", "Latin", "Greek", "Cyrillic", "Hebrew", "Arabic", "Syriac"}
# The voiced sound marks of kana make other letters.
KANA_MARKS = {0x3099, 0x309A}

HANGUL = range(0xAC00, 0xD7A4)


def ranges(path):
    """The lines `XXXX[..YYYY] ; value` of a property file."""
    found = {}
    for line in open(path, encoding="utf-8"):
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if match:
            first = int(match[1], 16)
            for code in range(first, int(match[2] or match[1], 16) + 1):
                found[code] = match[3]
    return found


class Database:
    def __init__(self, folder):
        with open(os.path.join(folder, "CaseFolding.txt"), encoding="utf-8") as file:
            if UNICODE not in file.readline():
                sys.exit(f"{folder} is not of Unicode {UNICODE}.")
        self.names, self.categories, self.decompositions = {}, {}, {}
        first = None
        for line in open(os.path.join(folder, "UnicodeData.txt"), encoding="utf-8"):
            fields = line.split(";")
            code = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = code
                continue
            if fields[1].endswith(", Last>"):
                for one in range(first, code + 1):
                    self.categories[one] = fields[2]
                continue
            self.names[code] = fields[1]
            self.categories[code] = fields[2]
            if fields[5] and not fields[5].startswith("<"):
                self.decompositions[code] = [int(part, 16) for part in fields[5].split()]
        self.codes = {name: code for code, name in self.names.items()}
        self.scripts = ranges(os.path.join(folder, "Scripts.txt"))
        self.folded = {}
        for line in open(os.path.join(folder, "CaseFolding.txt"), encoding="utf-8"):
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) > 2 and fields[1] in "CF":
                self.folded[int(fields[0], 16)] = [int(part, 16) for part in fields[2].split()]

    def decomposed(self, code):
        parts = self.decompositions.get(code)
        return [code] if parts is None else [q for p in parts for q in self.decomposed(p)]

    def is_diacritic(self, code):
        return (self.categories.get(code) == "Mn" and code not in KANA_MARKS
                and self.scripts.get(code) in MARKED)

    def unmarked(self, code):
        """One scalar without its diacritics."""
        plain = []
        for part in self.decomposed(code):
            if self.is_diacritic(part):
                continue
            if part in SPELLED:
                plain += map(ord, SPELLED[part])
                continue
            name = re.match(r"(LATIN (?:CAPITAL|SMALL) LETTER [A-Z]) WITH ", self.names.get(part, ""))
            plain.append(self.codes[name[1]] if name else part)
        return plain

    def case(self, codes):
        return [part for code in codes for part in self.folded.get(code, [code])]

    def both(self, code):
        return [q for p in self.case(self.unmarked(code)) for q in self.unmarked(p)]


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return varint(number * 2 if number >= 0 else -number * 2 - 1)


def encoded(mapping):
    """Runs of neighbours (or every second one) with the same way to their images."""
    codes = sorted(mapping)
    out, last, at = bytearray(), 0, 0
    while at < len(codes):
        code = codes[at]
        image = [part - code for part in mapping[code]]
        stride, count = 1, 1
        if len(image) <= 1:
            for step in (1, 2):
                run = 1
                while (at + run < len(codes) and codes[at + run] == code + run * step
                       and [p - codes[at + run] for p in mapping[codes[at + run]]] == image):
                    run += 1
                if run > count:
                    stride, count = step, run
        out += varint(code - last) + varint(count * 2 + stride - 1) + varint(len(image))
        for part in image:
            out += zigzag(part)
        last = code
        at += count
    return bytes(out)


def word_class(database, code):
    """0 nothing, 1 part of a word, 2 a mark, 3 a word of its own."""
    category = database.categories.get(code, "Cn")
    script = database.scripts.get(code)
    if 0x20000 <= code <= 0x3FFFD:
        return 3
    if category[0] == "M":
        return 2
    if category[0] not in "LN":
        return 0
    if script in ("Han", "Hiragana", "Thai", "Lao", "Khmer", "Myanmar", "Tai_Le", "New_Tai_Lue",
                  "Tai_Tham", "Tai_Viet"):
        return 3
    return 1


def classes(database):
    out, last, at = bytearray(), 0, 0
    while at <= 0x10FFFF:
        kind, end = word_class(database, at), at
        while end <= 0x10FFFF and word_class(database, end) == kind:
            end += 1
        if kind:
            out += varint(at - last) + varint((end - at) * 4 + kind)
            last = at
        at = end
    return bytes(out)


def write(path, comment, name, doc, parts):
    lines = [f"// Made by Tools/make-folding.py from Unicode {UNICODE}. {comment}", "",
             f"/// {doc}", f"enum {name} {{"]
    for part, about, data in parts:
        text = base64.b64encode(data).decode()
        lines += [f"    /// {about}: {len(data)} bytes in base64.", f'    static let {part}: StaticString = """']
        pieces = [text[index:index + 96] for index in range(0, len(text), 96)]
        lines += [f"        {piece}\\" for piece in pieces[:-1]] + [f"        {pieces[-1]}", '        """']
    lines += ["}", ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    database = Database(sys.argv[1])
    every = [code for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000 and code not in HANGUL]
    case = {c: database.folded[c] for c in every if c in database.folded}
    marks = {c: image for c in every if (image := database.unmarked(c)) != [c]}
    # What the engine relies on: folding twice is folding once, and nothing grows to more than three times its bytes.
    for code in every:
        for fold in (lambda c: database.case([c]), database.unmarked, database.both):
            image = fold(code)
            assert [q for p in image for q in fold(p)] == image, hex(code)
            text = "".join(map(chr, image)).encode()
            assert len(text) <= 3 * len(chr(code).encode()), hex(code)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Sources", "Reprise", "Base", "Text")
    write(os.path.join(folder, "FoldingData.swift"), "Do not edit.", "FoldingData",
          "Folding 1 (Specs/format/folding.md).",
          [("cases", "Code points that case folding changes", encoded(case)),
           ("marks", "Code points that are something else without their diacritics", encoded(marks))])
    write(os.path.join(folder, "WordData.swift"), "Do not edit.", "WordData",
          "The characters that make words (Specs/format/folding.md).",
          [("classes", "Ranges of code points that are parts of words", classes(database))])


main()
