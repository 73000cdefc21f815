#!/usr/bin/env python3
"""Writes a made-up iTunes library of N tracks to standard output, track by track.

    Tools/make-library.py 1000000 > Library.xml

The same N gives the same bytes. Twelve tracks share an album, every fortieth track has none, one
album in a hundred is a compilation. There is a master list and a built-in one, a folder, a smart
list inside it, and one playlist for every 5,000 tracks, whose entries repeat now and then.
"""

import sys

GENRES = ["Jazz", "Rock", "Electronic", "Classical", "Folk", "Hip-Hop", "R&#38;B", "Ambient"]
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" \
"http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>Major Version</key><integer>1</integer>
\t<key>Minor Version</key><integer>1</integer>
\t<key>Date</key><date>2024-03-01T09:30:00Z</date>
\t<key>Application Version</key><string>12.9.5.5</string>
\t<key>Features</key><integer>5</integer>
\t<key>Show Content Ratings</key><true/>
\t<key>Music Folder</key><string>file:///Users/listener/Music/Media.localized/</string>
\t<key>Library Persistent ID</key><string>5E1EC7ED11B2A2F1</string>
\t<key>Tracks</key>
\t<dict>
"""
MASK = (1 << 64) - 1


def mixed(number):
    """SplitMix64: a well spread 64-bit number for each small one."""
    z = (number * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def date(number):
    day = 1 + number % 28
    month = 1 + number // 28 % 12
    return f"{2006 + number // 336 % 18}-{month:02}-{day:02}T{number % 24:02}:{number % 60:02}:07Z"


def track(number):
    """The lines of one track, with the keys and the order of a real export."""
    random = mixed(number)
    album = number // 12
    key = 1000 + 2 * number
    artist = f"The Invented Ensemble {album % 20011}"
    genre = GENRES[album % len(GENRES)]
    lines = [
        f"\t\t<key>{key}</key>\n\t\t<dict>",
        f"<key>Track ID</key><integer>{key}</integer>",
        f"<key>Name</key><string>Imaginary Tune No. {number} &#38; Coda</string>",
        f"<key>Artist</key><string>{artist}</string>",
    ]
    if number % 40:
        if album % 100 == 0:
            lines.append("<key>Compilation</key><true/>")
        else:
            lines.append(f"<key>Album Artist</key><string>{artist}</string>")
        lines.append(f"<key>Album</key><string>Collected Inventions, Vol. {album}</string>")
    lines += [
        f"<key>Genre</key><string>{genre}</string>",
        "<key>Kind</key><string>MPEG audio file</string>",
        f"<key>Size</key><integer>{3000000 + random % 9000000}</integer>",
        f"<key>Total Time</key><integer>{60000 + random % 400000}</integer>",
        "<key>Disc Number</key><integer>1</integer>",
        "<key>Disc Count</key><integer>1</integer>",
        f"<key>Track Number</key><integer>{number % 12 + 1}</integer>",
        "<key>Track Count</key><integer>12</integer>",
        f"<key>Year</key><integer>{1960 + album % 64}</integer>",
        f"<key>Date Modified</key><date>{date(number + 5)}</date>",
        f"<key>Date Added</key><date>{date(number)}</date>",
        "<key>Bit Rate</key><integer>256</integer>",
        "<key>Sample Rate</key><integer>44100</integer>",
    ]
    if random & 3:
        lines.append(f"<key>Play Count</key><integer>{random % 97}</integer>")
        lines.append(f"<key>Play Date</key><integer>{3400000000 + random % 100000000}</integer>")
        lines.append(f"<key>Play Date UTC</key><date>{date(random % 4000)}</date>")
    if random % 3 == 0:
        lines.append(f"<key>Rating</key><integer>{20 * (random // 3 % 6)}</integer>")
    if random % 11 == 0:
        lines.append("<key>Loved</key><true/>")
    lines += [
        f"<key>Persistent ID</key><string>{mixed(number + (1 << 40)):016X}</string>",
        "<key>Track Type</key><string>File</string>",
        "<key>Location</key><string>file:///Users/listener/Music/Media.localized/Music/"
        f"The%20Invented%20Ensemble%20{album % 20011}/Collected%20Inventions,%20Vol.%20{album}/"
        f"{number % 12 + 1:02}%20Imaginary%20Tune%20No.%20{number}.mp3</string>",
        "<key>File Folder Count</key><integer>5</integer>",
        "<key>Library Folder Count</key><integer>1</integer>",
    ]
    return "\n\t\t\t".join(lines) + "\n\t\t</dict>\n"


def playlist(number, name, extra, entries):
    key = f"{mixed(number + (1 << 50)):016X}"
    yield (
        f"\t\t<dict>\n\t\t\t<key>Name</key><string>{name}</string>\n{extra}"
        f"\t\t\t<key>Playlist ID</key><integer>{100000000 + number}</integer>\n"
        f"\t\t\t<key>Playlist Persistent ID</key><string>{key}</string>\n"
        "\t\t\t<key>All Items</key><true/>\n"
    )
    empty = True
    for entry in entries:
        if empty:
            yield "\t\t\t<key>Playlist Items</key>\n\t\t\t<array>\n"
            empty = False
        yield (
            "\t\t\t\t<dict>\n\t\t\t\t\t<key>Track ID</key>"
            f"<integer>{1000 + 2 * entry}</integer>\n\t\t\t\t</dict>\n"
        )
    yield "\t\t</dict>\n" if empty else "\t\t\t</array>\n\t\t</dict>\n"


def library(count):
    yield HEAD
    for number in range(count):
        yield track(number)
    yield "\t</dict>\n\t<key>Playlists</key>\n\t<array>\n"
    built_in = "\t\t\t<key>Master</key><true/>\n\t\t\t<key>Visible</key><false/>\n"
    yield from playlist(1, "Library", built_in, range(count))
    built_in = "\t\t\t<key>Distinguished Kind</key><integer>4</integer>\n"
    yield from playlist(2, "Music", built_in, range(0, count, 3))
    yield from playlist(3, "Moods", "\t\t\t<key>Folder</key><true/>\n", range(0, count, 7))
    smart = (
        f"\t\t\t<key>Parent Persistent ID</key><string>{mixed(3 + (1 << 50)):016X}</string>\n"
        "\t\t\t<key>Smart Info</key>\n\t\t\t<data>\n\t\t\tAQEAAwAAAAIAAAAZAAAAAAAAAAcAAAAA\n"
        "\t\t\t</data>\n"
    )
    yield from playlist(4, "Rarely Heard", smart, range(1, count, 997))
    for number in range(count // 5000):
        entries = (mixed(number * 1000 + i // 2 * (i % 5 and 2 or 1)) % count for i in range(120))
        yield from playlist(5 + number, f"Mix {number}", "", entries)
    yield "\t</array>\n</dict>\n</plist>\n"


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: make-library.py NUMBER-OF-TRACKS > Library.xml")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    pending, size = [], 0
    for text in library(int(sys.argv[1])):
        pending.append(text)
        size += len(text)
        if size > 1 << 20:
            sys.stdout.write("".join(pending))
            pending, size = [], 0
    sys.stdout.write("".join(pending))


if __name__ == "__main__":
    main()
