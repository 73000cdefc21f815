#!/usr/bin/env python3
"""Writes a Realm file of made-up music, of any size, without Realm.

    Tools/make-realm.py 1000000 tracks.realm
    Tools/make-realm.py 1000 tracks.realm --truth tracks.ndjson

The file has version 24 of the format, as `writeCopy` writes it: RealmTrack, RealmAlbum with an ordered list of its
tracks, and RealmPlaylist with repeats, links and their origins. With --truth the same content is written as
`reprise realm dump` should show it, from the values and not from the file.

Source of the format: realm-core 20.1.5 (Apache-2.0). The same count gives the same bytes.
"""
import argparse
import json
import random
import struct

WIDTHS = (0, 1, 2, 4, 8, 16, 32, 64)
ROWS_PER_LEAF = 256
ELEMENTS_PER_LEAF = 1000


class File:
    """Arrays, one after the other."""

    def __init__(self, out):
        self.out = out
        self.size = 0
        self.write(bytes(24))

    def write(self, data):
        self.out.write(data)
        self.size += len(data)

    def array(self, payload, count, width, measure=0, inner=False, refs=False, context=False):
        assert count < 1 << 24 and self.size % 8 == 0
        flags = (inner << 7) | (refs << 6) | (context << 5) | (measure << 3) | WIDTHS.index(width)
        place = self.size
        data = b"AAAA" + bytes([flags]) + count.to_bytes(3, "big") + payload
        self.write(data + bytes(-len(data) % 8))
        return place

    def integers(self, values, unsigned=False, **flags):
        low, high = min(values, default=0), max(values, default=0)
        if low >= 0 and high < 16:
            width = 0 if high == 0 else 1 if high < 2 else 2 if high < 4 else 4
            if width == 0:
                return self.array(b"", len(values), 0, **flags)
            number = 0
            for value in reversed(values):
                number = number << width | value
            return self.array(number.to_bytes((len(values) * width + 7) // 8, "little"), len(values), width, **flags)
        for width, code in ((8, "b"), (16, "h"), (32, "i"), (64, "q")):
            limit = 1 << (width if unsigned else width - 1)
            if high < limit and (low >= 0 if unsigned else low >= -limit):
                code = code.upper() if unsigned else code
                return self.array(struct.pack(f"<{len(values)}{code}", *values), len(values), width, **flags)
        raise ValueError("too large")

    def references(self, values, **flags):
        return self.integers(values, refs=True, **flags)

    def strings(self, values):
        encoded = [None if value is None else value.encode() for value in values]
        longest = max((len(value) for value in encoded if value is not None), default=0)
        if longest <= 15:
            if all(value is None for value in encoded):
                return self.array(b"", len(values), 0, 1)
            width = 4
            while width <= longest:
                width *= 2
            parts = []
            for value in encoded:
                if value is None:
                    parts.append(bytes(width - 1) + bytes([width]))
                else:
                    parts.append(value + bytes(width - 1 - len(value)) + bytes([width - 1 - len(value)]))
            return self.array(b"".join(parts), len(values), width, 1)
        if longest <= 63:
            ends, blob, nulls = [], [], []
            end = 0
            for value in encoded:
                if value is not None:
                    blob.append(value + b"\0")
                    end += len(value) + 1
                ends.append(end)
                nulls.append(int(value is None))
            data = b"".join(blob)
            parts = [self.integers(ends), self.array(data, len(data), 0, 2), self.integers(nulls)]
            return self.references(parts)
        return self.references(
            [0 if value is None else self.array(value + b"\0", len(value) + 1, 0, 2) for value in encoded],
            context=True)

    def timestamps(self, values):
        # Before the seconds, a number that none of them is.
        null = 0
        present = {value[0] for value in values if value is not None}
        while null in present:
            null += 1
        seconds = self.integers([null] + [null if value is None else value[0] for value in values])
        return self.references([seconds, self.integers([0 if value is None else value[1] for value in values])])

    def doubles(self, values):
        return self.array(struct.pack(f"<{len(values)}d", *values), len(values), 8, 1)

    def keys(self, values):
        """A list of links."""
        if not values:
            return 0
        if len(values) <= ELEMENTS_PER_LEAF:
            return self.integers(values)
        leaves = [self.integers(values[start:start + ELEMENTS_PER_LEAF])
                  for start in range(0, len(values), ELEMENTS_PER_LEAF)]
        count = len(values)
        per = ELEMENTS_PER_LEAF
        while len(leaves) > 1:
            groups = []
            for start in range(0, len(leaves), ELEMENTS_PER_LEAF):
                part = leaves[start:start + ELEMENTS_PER_LEAF]
                below = min(count - start * per, len(part) * per)
                groups.append(self.references([tagged(per)] + part + [tagged(below)], inner=True))
            leaves = groups
            per *= ELEMENTS_PER_LEAF
        return leaves[0]

    def origins(self, values):
        """For each row, those that link to it."""
        return self.references(
            [0 if not keys else tagged(keys[0]) if len(keys) == 1 else self.keys(keys) for keys in values])


def tagged(number):
    return number << 1 | 1


def column_key(index, kind, attributes):
    return index | kind << 16 | (attributes & 0xff) << 22 | (index + 1) << 30


class Table:
    """A class, written leaf by leaf."""

    def __init__(self, file, name, number, columns):
        # A column: name, type, attributes, class of the other end, number of the column there.
        self.file, self.name, self.number, self.columns = file, name, number, columns
        self.leaves, self.count = [], 0

    def leaf(self, count, arrays):
        self.leaves.append(self.file.references([tagged(count)] + arrays))
        self.count += count

    def end(self):
        file = self.file
        if not self.leaves:
            self.leaf(0, [file.references([]) for _ in self.columns])
        nodes, depth, rows = self.leaves, 0, ROWS_PER_LEAF
        while len(nodes) > 1:
            depth += 1
            groups = []
            for start in range(0, len(nodes), 256):
                part = nodes[start:start + 256]
                below = min(self.count - start * rows, len(part) * rows)
                groups.append(file.references([0, tagged(depth), tagged(below)] + part, inner=True))
            nodes = groups
            rows *= 256
        keys = [column_key(index, column[1], column[2]) for index, column in enumerate(self.columns)]
        spec = file.references([
            file.integers([column[1] for column in self.columns]),
            file.strings([column[0] for column in self.columns if column[0] is not None]),
            file.integers([column[2] for column in self.columns]),
            0, 0, file.integers(keys)])
        tables = file.integers([0x7fffffff if column[3] is None else column[3] for column in self.columns])
        others = file.integers([0 if column[4] is None else column[4] for column in self.columns])
        return file.references([
            spec, 0, nodes[0], tagged(self.number), 0, tagged(len(keys) + 1), tagged(1), tables, others,
            tagged(self.count), 0, tagged(keys[0]) if self.columns[0][0] == "id" else 0, tagged(0), 0])


class Truth:
    """The same content as lines."""

    def __init__(self, out):
        self.out = out

    def table(self, name, number, count, key, columns):
        self.line({"table": name, "key": number, "type": 0, "count": count, "pk": key, "columns": columns})

    def object(self, name, key, values):
        self.line({"t": name, "k": key, "v": values})

    def line(self, value):
        if self.out is not None:
            self.out.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")


def bits(value):
    return {"$d": struct.pack(">d", value).hex()}


WORDS = "Night Moon River Blue Love Rain Fire Light Shadow Dream Road Winter Été Björk 東京 Зима".split()
GENRES = ["Jazz", "Rock", "Pop", "Classical", "Electronic", "Folk", "Blues", None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int, help="how many tracks")
    parser.add_argument("path", help="the file")
    parser.add_argument("--truth", help="the same content as lines of JSON")
    arguments = parser.parse_args()
    count = arguments.count
    dice = random.Random(count)
    truth_file = open(arguments.truth, "w", encoding="utf-8") if arguments.truth else None
    truth = Truth(truth_file)

    album_count = (count + 11) // 12
    playlist_count = max(1, count // 20000)
    lists = [[dice.randrange(count) for _ in range(dice.randrange(2000 if number else 5500))] if count else []
             for number in range(playlist_count)]
    in_playlists = [[] for _ in range(count)]
    for number, entries in enumerate(lists):
        for track in entries:
            in_playlists[track].append(number)

    names = ["metadata", "class_RealmAlbum", "class_RealmPlaylist", "class_RealmTrack"]
    with open(arguments.path, "wb") as out:
        file = File(out)
        version = Table(file, names[0], 0, [("version", 0, 0, None, None)])
        version.leaf(1, [file.integers([0])])
        truth.table(names[0], 0, 1, None, [["version", 0, 0, None]])
        truth.object(names[0], 0, {"version": 0})

        link = 32
        album_columns = [("id", 2, 0, None, None), ("title", 2, 0, None, None),
                         ("tracks", 12, link, 3, column_key(8, 14, 0))]
        albums = Table(file, names[1], 1, album_columns)
        truth.table(names[1], 1, album_count, "id",
                    [["id", 2, 0, None], ["title", 2, 0, None], ["tracks", 12, 32, names[3]]])
        for start in range(0, album_count, ROWS_PER_LEAF):
            rows = range(start, min(start + ROWS_PER_LEAF, album_count))
            ids = [f"album-{row:07d}" for row in rows]
            titles = [f"{WORDS[row % 16]} {WORDS[row * 7 % 16]} {row}" for row in rows]
            tracks = [list(range(12 * row, min(12 * row + 12, count))) for row in rows]
            albums.leaf(len(rows), [file.strings(ids), file.strings(titles),
                                    file.references([file.keys(keys) for keys in tracks])])
            for place, row in enumerate(rows):
                truth.object(names[1], row, {"id": ids[place], "title": titles[place],
                                             "tracks": [{"$link": key} for key in tracks[place]]})

        playlists = Table(file, names[2], 2, [
            ("id", 2, 0, None, None), ("name", 2, 0, None, None), ("tracks", 12, link, 3, column_key(9, 14, 0)),
            ("createdAt", 8, 0, None, None)])
        truth.table(names[2], 2, playlist_count, "id",
                    [["id", 2, 0, None], ["name", 2, 0, None], ["tracks", 12, 32, names[3]], ["createdAt", 8, 0, None]])
        for start in range(0, playlist_count, ROWS_PER_LEAF):
            rows = range(start, min(start + ROWS_PER_LEAF, playlist_count))
            made = [(1_400_000_000 + row, row) for row in rows]
            playlists.leaf(len(rows), [
                file.strings([f"playlist-{row}" for row in rows]), file.strings([f"Mix {row}" for row in rows]),
                file.references([file.keys(lists[row]) for row in rows]), file.timestamps(made)])
            for place, row in enumerate(rows):
                truth.object(names[2], row, {
                    "id": f"playlist-{row}", "name": f"Mix {row}", "tracks": [{"$link": key} for key in lists[row]],
                    "createdAt": {"$ts": list(made[place])}})

        tracks = Table(file, names[3], 3, [
            ("id", 2, 0, None, None), ("title", 2, 0, None, None), ("artist", 2, 0, None, None),
            ("duration", 10, 0, None, None), ("genre", 2, 16, None, None), ("releaseDate", 8, 0, None, None),
            ("playCount", 0, 0, None, None), ("isFavorite", 1, 0, None, None),
            (None, 14, 0, 1, column_key(2, 12, link)), (None, 14, 0, 2, column_key(2, 12, link))])
        truth.table(names[3], 3, count, "id", [
            ["id", 2, 0, None], ["title", 2, 0, None], ["artist", 2, 0, None], ["duration", 10, 0, None],
            ["genre", 2, 16, None], ["releaseDate", 8, 0, None], ["playCount", 0, 0, None],
            ["isFavorite", 1, 0, None]])
        for start in range(0, count, ROWS_PER_LEAF):
            rows = range(start, min(start + ROWS_PER_LEAF, count))
            ids = [f"{row * 2654435761 % (1 << 32):08X}-{row:07d}" for row in rows]
            titles = [f"{WORDS[dice.randrange(16)]} {WORDS[dice.randrange(16)]} {row}" for row in rows]
            artists = [f"{WORDS[row // 12 % 16]} & {WORDS[row // 60 % 16]}" for row in rows]
            durations = [60 + dice.random() * 400 for _ in rows]
            genres = [GENRES[dice.randrange(8)] for _ in rows]
            dates = [(dice.randrange(-500_000_000, 1_700_000_000), 0) for _ in rows]
            plays = [dice.randrange(300) for _ in rows]
            loved = [dice.randrange(10) == 0 for _ in rows]
            tracks.leaf(len(rows), [
                file.strings(ids), file.strings(titles), file.strings(artists), file.doubles(durations),
                file.strings(genres), file.timestamps(dates), file.integers(plays),
                file.integers([int(value) for value in loved]),
                file.origins([[row // 12] for row in rows]), file.origins([in_playlists[row] for row in rows])])
            if truth_file is None:
                continue
            for place, row in enumerate(rows):
                truth.object(names[3], row, {
                    "id": ids[place], "title": titles[place], "artist": artists[place],
                    "duration": bits(durations[place]), "genre": genres[place],
                    "releaseDate": {"$ts": list(dates[place])}, "playCount": plays[place],
                    "isFavorite": loved[place]})

        ends = [table.end() for table in (version, albums, playlists, tracks)]
        group_names = file.strings(names)
        group_tables = file.references(ends)
        top = file.size
        # The root: its own 32 bytes and the 16 at the end belong to the file's size.
        size = top + 8 + 24 + 16
        assert file.array(struct.pack("<3q", group_names, group_tables, tagged(size)), 3, 64, refs=True) == top
        file.write(struct.pack("<2Q", top, 0x3034125237E526C8))
        out.seek(0)
        out.write(struct.pack("<2Q", 0xffffffffffffffff, 0) + b"T-DB" + bytes([24, 24, 0, 0]))


if __name__ == "__main__":
    main()
