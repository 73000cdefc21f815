#!/usr/bin/env python3
"""Compares an iTunes library with what `reprise export` says after its migration.

    Tools/check-itunes.py Library.xml export.ndjson [--source NAME] [--built-in-playlists]

Works the expected tracks, albums and playlists out of the export with Python's own property list
reader and the rules of the command's contract, sharing no code with the migrator. Prints the
differences; exits 0 when there are none, 1 when there are, 64 on wrong usage, 65 when a file cannot
be read.
"""

import argparse
import hashlib
import json
import os
import plistlib
import re
import sys

SHOWN_MAX = 50
STRINGS = [("artist", "Artist"), ("genre", "Genre"), ("location", "Location"), ("kind", "Kind")]
INTEGERS = [("year", "Year"), ("trackNumber", "Track Number"), ("discNumber", "Disc Number")]
DATES = [("releaseDate", "Release Date"), ("addedAt", "Date Added")]
# Derived sides of relationships, which an export may or may not write.
IGNORED = {"children"}
# The kinds of lists that hold all that the library has of a sort: films, television, music, audiobooks, podcasts and
# lectures.
BUILT_IN_KINDS = {2, 3, 4, 5, 10, 31}


def content_key(*parts):
    """The key that stands in for a missing one: see ContentKey in the sources."""
    data = b""
    for part in parts:
        if part is None:
            data += b"\xff" * 8
        else:
            text = str(part).encode()
            data += len(text).to_bytes(8, "big") + text
    return hashlib.sha256(data).hexdigest()[:32]


def whole(value, low=-(1 << 63), high=(1 << 63) - 1):
    """The value where it is a whole number in range, otherwise None."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and low <= value <= high else None


def text(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if isinstance(value, str) else str(value) if is_number else None


def without_missing(record):
    return {name: value for name, value in record.items() if value is not None}


class Keys:
    """Keys of one model: a repeated one gets a number."""

    def __init__(self):
        self.used = set()

    def claim(self, key):
        candidate, number = key, 2
        while candidate in self.used:
            candidate, number = f"{key}-{number}", number + 1
        self.used.add(candidate)
        return candidate


def left_out(playlist, takes_built_in):
    """Whether a list is one that iTunes makes by itself, and is not to be taken."""
    if playlist.get("Master") is True:
        return True
    if not takes_built_in:
        return "Distinguished Kind" in playlist
    is_smart = bool(playlist.get("Smart Criteria") or playlist.get("Smart Info"))
    return not is_smart and whole(playlist.get("Distinguished Kind")) in BUILT_IN_KINDS


def usable(key):
    return isinstance(key, str) and 0 < len(key.encode()) <= 200


class Expectation:
    """What a store must hold after the migration of `library`."""

    def __init__(self, library, source, takes_built_in=False):
        self.source = ("itunes", source)
        self.takes_built_in = takes_built_in
        self.records = {}
        self.track_ids = {}
        self.read_tracks(library.get("Tracks", {}))
        self.read_playlists(library.get("Playlists", []))

    def read_tracks(self, tracks):
        keys = Keys()
        for number, track in tracks.items():
            if not isinstance(track, dict):
                continue
            total = track.get("Total Time")
            milliseconds = total if isinstance(total, float) and total >= 0 else whole(total, 0)
            names = [text(track.get(k)) for k in ("Name", "Artist", "Album", "Location")]
            disc, place = whole(track.get("Disc Number")), whole(track.get("Track Number"))
            key = text(track.get("Persistent ID"))
            if not usable(key):
                length = None if milliseconds is None else float(milliseconds)
                key = content_key("reprise track", *self.source, *names, length, disc, place)
            key = keys.claim(key)
            record = {"title": names[0] or "", "playCount": whole(track.get("Play Count"), 0) or 0}
            record |= {name: text(track.get(spelling)) for name, spelling in STRINGS}
            record |= {name: whole(track.get(spelling)) for name, spelling in INTEGERS}
            for name, spelling in DATES:
                value = track.get(spelling)
                record[name] = value.isoformat() + "Z" if hasattr(value, "isoformat") else None
            record["duration"] = None if milliseconds is None else milliseconds / 1000
            record["rating"] = whole(track.get("Rating"), 0, 100)
            record["isFavorite"] = track.get("Loved") is True or track.get("Favorited") is True
            record["album"] = self.album(track, key)
            self.records["track", key] = without_missing(record)
            track_id = whole(track.get("Track ID"))
            if track_id is None and re.fullmatch(r"[+-]?[0-9]+", number):
                track_id = int(number)
            self.track_ids[track_id] = key

    def album(self, track, key):
        title = text(track.get("Album"))
        if not title:
            return None
        artist = text(track.get("Album Artist"))
        if not artist:
            compilation = track.get("Compilation") is True
            artist = "Various Artists" if compilation else text(track.get("Artist")) or None
        album = content_key("reprise album", *self.source, title, artist)
        empty = without_missing({"title": title, "artist": artist}) | {"tracks": []}
        self.records.setdefault(("album", album), empty)["tracks"].append(key)
        return album

    def read_playlists(self, playlists):
        keys, parents = Keys(), {}
        for playlist in playlists:
            if left_out(playlist, True):
                continue
            name = text(playlist.get("Name"))
            key = text(playlist.get("Playlist Persistent ID"))
            if not usable(key):
                key = content_key("reprise playlist", *self.source, name)
            # Those of others do not depend on what is taken.
            key = keys.claim(key)
            if left_out(playlist, self.takes_built_in):
                continue
            is_folder = playlist.get("Folder") is True
            items = [] if is_folder else playlist.get("Playlist Items", [])
            tracks = (self.track_ids.get(item.get("Track ID")) for item in items)
            self.records["playlist", key] = {
                "name": name or "",
                "isFolder": is_folder,
                "tracks": [track for track in tracks if track is not None],
            }
            parents[key] = text(playlist.get("Parent Persistent ID"))
        for key, parent in parents.items():
            if ("playlist", parent) not in self.records:
                continue
            # Of playlists inside each other, the first of the file loses its parent.
            above, path = parent, [key]
            while above and above not in path:
                path.append(above)
                above = parents.get(above)
            if above != key or min(path, key=list(parents).index) != key:
                self.records["playlist", key]["parent"] = parent


def read_store(path):
    records = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                continue
            record = json.loads(line)
            model, key = record.pop("model"), record.pop("id")
            if (model, key) in records:
                raise ValueError(f"{model} {key} is there twice")
            records[model, key] = {n: v for n, v in record.items() if n not in IGNORED}
    return records


def equal(name, expected, actual):
    if name in ("releaseDate", "addedAt") and isinstance(actual, str):
        return expected == re.sub(r"\.0+Z$", "Z", actual)
    if name == "tracks":
        return (expected or []) == (actual or [])
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return expected == actual


def differences(expected, actual):
    for model, key in sorted(expected.keys() | actual.keys()):
        want, have = expected.get((model, key)), actual.get((model, key))
        if have is None:
            yield f"{model} {key} is missing: {want}"
        elif want is None:
            yield f"{model} {key} should not be there: {have}"
        else:
            for name in sorted(want.keys() | have.keys()):
                if not equal(name, want.get(name), have.get(name)):
                    yield f"{model} {key}: {name} is {have.get(name)!r}, not {want.get(name)!r}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("export", help="the XML file that Music or iTunes wrote")
    arguments.add_argument("store", help="what `reprise export` printed")
    arguments.add_argument("--source", help="the name given to `reprise migrate --source`")
    arguments.add_argument(
        "--built-in-playlists",
        action="store_true",
        help="expect the lists that iTunes fills with a choice of its own",
    )
    try:
        options = arguments.parse_args()
    except SystemExit as stop:
        return 64 if stop.code else 0
    try:
        with open(options.export, "rb") as file:
            library = plistlib.load(file, fmt=plistlib.FMT_XML)
        name = text(library.get("Library Persistent ID"))
        name = name if usable(name) else os.path.basename(options.export)
        expected = Expectation(
            library, options.source or name, options.built_in_playlists
        ).records
        actual = read_store(options.store)
    except (OSError, ValueError, KeyError, plistlib.InvalidFileException) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 65
    found = list(differences(expected, actual))
    for line in found[:SHOWN_MAX]:
        print(line)
    models = [model for model, _ in expected]
    counts = {model: models.count(model) for model in ("track", "album", "playlist")}
    print(f"expected {counts}: {len(found)} differences", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
