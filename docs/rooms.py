#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws docs/rooms.svg, the rooms of the sources and their arrows, from the includes.

    docs/rooms.py            writes the drawing
    docs/rooms.py --check    exit status 1 where the drawing is not that of today's includes

An arrow means that files of the upper room include files of the lower one. It is left out where a longer way of arrows
says as much. Rooms that include one another, directly or around, stand in one frame. The same includes give the same
bytes everywhere.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWING = ROOT / "docs" / "rooms.svg"
# The bands: what its folders start with (the first that fits), its title, its column (0 left, 1 right, 2 below both),
# frame and box colours.
BANDS = {
    "app": ("app/", "app: the window (Qt)", 0, "#eef4fb", "#c9def4"),
    "widgets": ("widgets/", "widgets: plots, tables, figures (Qt, QCustomPlot)", 0, "#eef8f1", "#c8e8d1"),
    "engine": ("core/engine/ core/cli/", "core: what computes, and the commands", 1, "#fdf3ea", "#f8d9bd"),
    "core": ("core/", "core: what both know (no Qt, no LibTorch)", 2, "#f5f3fa", "#dcd5ee"),
}
FONT = "font-family='DejaVu Sans, Verdana, Helvetica, Arial, sans-serif'"
WIDTH, SPLIT, MARGIN = 1060, 680, 24
CHIP, GAP, LAYER = 28, 10, 44


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:3 if path.startswith("core/cli/engine/") else 2])


def includes():
    """Room -> the rooms that it includes, and room -> its folders."""
    pattern = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
    below, folders = {}, {}
    for top in ("app", "core", "widgets"):
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            path = file.relative_to(ROOT).as_posix()
            room = room_of(path)
            inner = path[len(room) + 1:].split("/")[:-1]
            folders.setdefault(room, set()).update(inner[:1])
            targets = below.setdefault(room, set())
            for target in pattern.findall(file.read_text(encoding="utf-8")):
                if target.split("/")[0] in ("app", "core", "widgets") and (ROOT / target).is_file():
                    targets.add(room_of(target))
    for room, targets in below.items():
        targets.discard(room)
    return below, folders


def reach(below):
    seen = {}
    for room in sorted(below):
        found, todo = set(), [room]
        while todo:
            for target in below[todo.pop()] - found:
                found.add(target)
                todo.append(target)
        seen[room] = found
    return seen


def condense(below):
    """Circles become one node each: node (a tuple of rooms) -> nodes below, without what a longer way says."""
    far = reach(below)
    node = {r: tuple(sorted({r} | {o for o in far[r] if r in far[o]})) for r in below}
    arrows = {n: {node[t] for r in n for t in below[r]} - {n} for n in node.values()}
    far = reach(arrows)
    return {n: {t for t in ts if not any(t in far[o] for o in ts - {t})} for n, ts in arrows.items()}


def band_of(node):
    return next(name for name, band in BANDS.items() if (node[0] + "/").startswith(tuple(band[0].split())))


def layers_of(arrows):
    """Node -> layer, 0 lowest: the bands one above the other, the right column beside the left one."""
    layer = {}

    def depth(node, floor):
        if node not in layer:
            mine = [depth(t, floor) + 1 for t in sorted(arrows[node]) if band_of(t) == band_of(node)]
            layer[node] = max(mine, default=floor)
        return layer[node]

    top = 0
    for band in ("core", "widgets", "app"):
        nodes = [n for n in sorted(arrows) if band_of(n) == band]
        top = max(depth(n, top) for n in nodes) + 1
        if band == "core":
            start = top
    right = [n for n in sorted(arrows) if band_of(n) == "engine"]
    for n in right:
        depth(n, start)
    # What nothing of its band asks for early stands as high as those above it allow: shorter arrows.
    for n in sorted(arrows, key=lambda n: -layer[n]):
        above = [layer[o] for o in sorted(arrows) if n in arrows[o]]
        same = [layer[o] for o in sorted(arrows) if n in arrows[o] and band_of(o) == band_of(n)]
        if band_of(n) == "core" and above and arrows[n]:
            layer[n] = max(layer[n], min(min(same, default=start) - 1, start - 1))
    return layer


class Box:
    def __init__(self, node, folders):
        self.rooms, self.band = node, band_of(node)
        prefix = "core/" if self.band in ("core", "engine") else self.band + "/"
        self.chips = [r[len(prefix):] for r in node]
        self.small = " ".join(sorted(folders[node[0]])) if len(node) == 1 else ""
        sizes = [wide(c, 8.3) + 20 for c in self.chips]
        if len(node) == 1:
            rows = [self.small] if len(self.small) < 34 else halves(self.small)
            self.small = rows if self.small else []
            self.w = max([sizes[0], 76] + [wide(r, 5.9) + 18 for r in self.small])
            self.h = CHIP + 4 + 14 * len(self.small)
            return
        across = len(node) if len(node) < 5 else math.ceil(len(node) / 2)
        self.rows = [list(zip(self.chips, sizes))[i:i + across] for i in range(0, len(node), across)]
        self.w = max(math.fsum(s + GAP for _, s in row) for row in self.rows) + GAP
        self.h = len(self.rows) * (CHIP + GAP) + GAP + 14


class Bend:
    w, h, rooms = 14, 0, ()

    def __init__(self, band):
        self.band = band


class Wall:
    w, h, rooms, band = 60, 0, (), ""


def wide(text, each):
    return len(text) * each


def halves(text):
    words = text.split()
    middle = (len(words) + 1) // 2
    return [" ".join(words[:middle]), " ".join(words[middle:])]


def build(arrows, folders):
    """The rows of boxes and bends, lowest first, and the ways of the arrows through them."""
    layer = layers_of(arrows)
    rows = [[] for _ in range(max(layer.values()) + 1)]
    boxes = {n: Box(n, folders) for n in sorted(arrows)}
    floor = min(layer[n] for n in arrows if BANDS[band_of(n)][2] < 2)
    for n, box in boxes.items():
        rows[layer[n]].append(box)
    ways = []
    for n in sorted(arrows):
        for t in sorted(arrows[n]):
            way = [boxes[n]]
            for at in range(layer[n] - 1, layer[t], -1):
                way.append(Bend(band_of(n) if at >= floor else "core"))
                rows[at].append(way[-1])
            ways.append(way + [boxes[t]])
    for row in rows[floor:]:
        row.append(Wall())
    return rows, ways


def side(item):
    return 1 if isinstance(item, Wall) else 2 if item.band == "engine" else 0


def crossings(row, lower, links):
    at = {id(b): i for i, b in enumerate(lower)}
    pairs = [(i, at[id(t)]) for i, b in enumerate(row) for t in links.get(id(b), []) if id(t) in at]
    return sum((a - c) * (b - d) < 0 for k, (a, b) in enumerate(pairs) for c, d in pairs[k + 1:])


def order(rows, ways):
    down, up = {}, {}
    for way in ways:
        for a, b in zip(way, way[1:]):
            down.setdefault(id(a), []).append(b)
            up.setdefault(id(b), []).append(a)

    def total():
        return sum(crossings(rows[i], rows[i - 1], down) for i in range(1, len(rows)))

    for row in rows:
        row.sort(key=side)
    best, kept = total(), [list(r) for r in rows]
    for sweep in range(24):
        upward = sweep % 2 == 0
        for i in (range(1, len(rows)) if upward else range(len(rows) - 2, -1, -1)):
            other = rows[i - 1 if upward else i + 1]
            at = {id(b): (k + 0.5) / len(other) for k, b in enumerate(other)}
            links = down if upward else up
            mine = {id(b): (k + 0.5) / len(rows[i]) for k, b in enumerate(rows[i])}

            def centre(b):
                near = [at[id(t)] for t in links.get(id(b), []) if id(t) in at]
                return math.fsum(near) / len(near) if near else mine[id(b)]

            rows[i].sort(key=lambda b: (side(b), round(centre(b), 6)))
        exchange(rows, down)
        if total() < best:
            best, kept = total(), [list(r) for r in rows]
    rows[:] = kept
    return down, up


def exchange(rows, down):
    for _ in range(6):
        for i, row in enumerate(rows):
            for k in range(len(row) - 1):
                if side(row[k]) != side(row[k + 1]):
                    continue

                def cost():
                    below = crossings(row, rows[i - 1], down) if i else 0
                    return below + (crossings(rows[i + 1], row, down) if i + 1 < len(rows) else 0)

                before = cost()
                row[k], row[k + 1] = row[k + 1], row[k]
                if cost() >= before:
                    row[k], row[k + 1] = row[k + 1], row[k]


def settle(row, wish):
    """x of each, as near to the wishes as the order and the widths let them be (isotonic regression)."""
    offset, pools = 0.0, []
    for k, item in enumerate(row):
        if k:
            offset += (row[k - 1].w + item.w) / 2 + (26 if item.rooms and row[k - 1].rooms else 14)
        weight = 1e6 if isinstance(item, Wall) else 3.0 if item.rooms else 1.0
        pools.append([(wish[k] - offset) * weight, weight, [(item, offset)]])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1], pools[-1][2] + last[2]]
    for value, weight, items in pools:
        for item, shift in items:
            item.x = round(value / weight + shift, 3)


def place(rows, down, up):
    for row in rows:
        spots = {0: (SPLIT if any(isinstance(b, Wall) for b in row) else WIDTH) / 2, 1: SPLIT, 2: (SPLIT + WIDTH) / 2}
        settle(row, [spots[side(b)] for b in row])
    for sweep in range(60):
        for i in (range(len(rows)) if sweep % 2 else range(len(rows) - 1, -1, -1)):
            wish = []
            for b in rows[i]:
                near = sorted(t.x for t in down.get(id(b), []) + up.get(id(b), []))
                middle = (near[(len(near) - 1) // 2] + near[len(near) // 2]) / 2 if near else 0
                wish.append(SPLIT if isinstance(b, Wall) else middle if near else b.x)
            settle(rows[i], [min(max(w, MARGIN + b.w / 2 + 10), WIDTH - MARGIN - b.w / 2 - 10)
                             for w, b in zip(wish, rows[i])])
    y = 0.0
    for i, row in enumerate(rows):
        height = max(b.h for b in row)
        bands = {b.band for b in row if b.rooms}
        y += height / 2
        for b in row:
            b.y = -y
            b.h = b.h or height  # past a row arrows go straight
        y += height / 2 + LAYER
        if i + 1 < len(rows) and {b.band for b in rows[i + 1] if b.rooms} - bands:
            y += 34  # room for a band's title
    return y


def text(x, y, words, size, extra=""):
    words = words.replace("&", "&amp;")
    return f"<text x='{x:.0f}' y='{y:.0f}' font-size='{size}' {extra}>{words}</text>"


def rect(x, y, w, h, fill, line, radius):
    return (f"<rect x='{x:.0f}' y='{y:.0f}' width='{w:.0f}' height='{h:.0f}' rx='{radius}' fill='{fill}' "
            f"stroke='{line}'/>")


def draw_box(box, fill):
    left, top, out = box.x - box.w / 2, box.y - box.h / 2, []
    middle = "text-anchor='middle'"
    if len(box.rooms) == 1:
        out.append(rect(left, top, box.w, box.h, fill, "#5b6470", 6))
        out.append(text(box.x, top + 21, box.chips[0], 13.5, middle + " font-weight='bold'"))
        out += [text(box.x, top + 36 + 14 * i, r, 10, middle + " fill='#444b55'") for i, r in enumerate(box.small)]
        return out
    out.append(rect(left, top, box.w, box.h, "#ffffff", "#5b6470", 8))
    y = top + GAP
    for row in box.rows:
        x = box.x - math.fsum(s + GAP for _, s in row) / 2 + GAP / 2
        for name, size in row:
            out.append(rect(x, y, size, CHIP, fill, "#8b94a0", 5))
            out.append(text(x + size / 2, y + 19, name, 13.5, middle + " font-weight='bold'"))
            x += size + GAP
        y += CHIP + GAP
    out.append(text(box.x, y + 9, "these include one another", 10, middle + " fill='#444b55' font-style='italic'"))
    return out


def spread(ways):
    """Where each arrow leaves and enters its boxes: side by side, in the order of where they go."""
    ends = {}
    for way in ways:
        ends.setdefault((id(way[0]), "out"), []).append((way[1].x, way))
        ends.setdefault((id(way[-1]), "in"), []).append((way[-2].x, way))
    spots = {}
    for (key, kind), found in ends.items():
        found.sort(key=lambda e: e[0])
        box = found[0][1][0 if kind == "out" else -1]
        step = min(26.0, (box.w - 24) / max(1, len(found)))
        for i, (_, way) in enumerate(found):
            spots[id(way), kind] = box.x + step * (i - (len(found) - 1) / 2)
    return spots


def draw_way(way, spots):
    x, y = spots[id(way), "out"], way[0].y + way[0].h / 2
    path = f"M{x:.0f} {y:.0f}"
    for b in way[1:]:
        last = b is way[-1]
        bx, by = (spots[id(way), "in"], b.y - b.h / 2 - 3) if last else (b.x, b.y - b.h / 2)
        half = (by - y) / 2
        path += f"C{x:.0f} {y + half:.0f} {bx:.0f} {by - half:.0f} {bx:.0f} {by:.0f}"
        x, y = bx, b.y + b.h / 2
        path += "" if last else f"V{y:.0f}"
    return f"<path d='{path}' fill='none' stroke='#6a7480' stroke-width='1.3' marker-end='url(#tip)'/>"


def drawing():
    below, folders = includes()
    rows, ways = build(condense(below), folders)
    down, up = order(rows, ways)
    height = place(rows, down, up) + 46
    for row in rows:
        for b in row:
            b.y += height - 20
    boxes = [b for row in rows for b in row if b.rooms]
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height:.0f}' "
           f"viewBox='0 0 {WIDTH} {height:.0f}' {FONT}>",
           "<!-- SPDX-FileCopyrightText: 2026 The Peakscope authors",
           "     SPDX-License-Identifier: GPL-3.0-or-later",
           "     Written by docs/rooms.py. -->",
           "<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
           "<path d='M0 0L8 4L0 8z' fill='#6a7480'/></marker></defs>",
           f"<rect width='{WIDTH}' height='{height:.0f}' fill='#ffffff'/>"]
    titles = []
    for name, (_, title, column, fill, _) in BANDS.items():
        mine = [b for b in boxes if b.band == name]
        top, bottom = min(b.y - b.h / 2 for b in mine) - 34, max(b.y + b.h / 2 for b in mine) + 14
        left, right = {0: (14, SPLIT - 12), 1: (SPLIT + 12, WIDTH - 14), 2: (14, WIDTH - 14)}[column]
        out.append(rect(left, top, right - left, bottom - top, fill, "#d4d9df", 10))
        halo = f"fill='#444b55' stroke='{fill}' stroke-width='5' paint-order='stroke'"
        titles.append(text(left + 12, top + 20, title, 12.5, halo))
    spots = spread(ways)
    out += [draw_way(w, spots) for w in ways] + titles
    for box in boxes:
        out += draw_box(box, BANDS[box.band][4])
    return "\n".join(out + ["</svg>", ""])


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    made = drawing()
    if not arguments:
        DRAWING.write_text(made, encoding="utf-8")
    elif not DRAWING.is_file() or DRAWING.read_text(encoding="utf-8") != made:
        sys.exit("docs/rooms.svg is not the drawing of today's includes: run docs/rooms.py")


if __name__ == "__main__":
    main(sys.argv[1:])
