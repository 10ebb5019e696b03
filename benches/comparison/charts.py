"""Draws numbers as SVG: bars for groups, lines on logarithmic axes."""

import html
import math

COLOURS = ["#1f6feb", "#d1602d", "#2e8b57", "#8250df", "#9a6700", "#6e7781"]
CSS = (
    "text{font:12px system-ui,Helvetica,Arial,sans-serif;fill:#24292f}"
    ".t{font-size:15px;font-weight:bold}.s{fill:#57606a;font-size:11px}"
    ".a{stroke:#57606a}.g{stroke:#d8dee4}"
)


def text(x, y, words, anchor="start", style=""):
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{html.escape(words, quote=False)}</text>'


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'


def document(width, height, title, machine, shapes):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">\n'
        f'<style>{CSS}</style>\n<rect width="100%" height="100%" rx="8" fill="#fff"/>\n'
    )
    words = [text(20, 26, title, style="t"), text(20, height - 12, machine, style="s")]
    return head + "\n".join(words + shapes) + "\n</svg>\n"


def legend(x, y, names):
    shapes = []
    for at, name in enumerate(names):
        shapes.append(f'<rect x="{x}" y="{y + 18 * at}" width="12" height="12" fill="{COLOURS[at % len(COLOURS)]}"/>')
        shapes.append(text(x + 18, y + 10 + 18 * at, name))
    return shapes


def short(value):
    """A number for an axis."""
    for limit, unit in ((1e6, " million"), (1e3, ",000")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


def bars(title, machine, unit, groups, names):
    """One group of bars for each `(name, values, words)`; the words stand over it."""
    width, height, left, top, bottom = 760, 380, 70, 60, 60
    right = width - 120
    highest = max(value for _, values, _ in groups for value in values)
    step = 10 ** math.floor(math.log10(highest))
    step = next(step * part for part in (0.1, 0.2, 0.5, 1, 2) if highest / (step * part) <= 7)
    ceiling = step * math.ceil(highest / step)
    scale = (height - top - bottom) / ceiling
    base = height - bottom
    shapes = legend(right + 15, top, names)
    for tick in range(round(ceiling / step) + 1):
        y = base - tick * step * scale
        shapes += [line(left, y, right, y, "g"), text(left - 6, y + 4, f"{tick * step:,.4g}", "end")]
    shapes += [line(left, base, right, base, "a"), text(left - 50, top - 12, unit)]
    room = (right - left) / len(groups)
    for at, (name, values, words) in enumerate(groups):
        wide = room * 0.7 / len(values)
        x = left + room * (at + 0.15)
        for place, value in enumerate(values):
            shapes.append(
                f'<rect x="{x + place * wide:.1f}" y="{base - value * scale:.1f}" width="{wide - 1:.1f}" '
                f'height="{value * scale:.1f}" fill="{COLOURS[place % len(COLOURS)]}"/>'
            )
        middle = left + room * (at + 0.5)
        shapes.append(text(middle, base + 16, name, "middle"))
        shapes.append(text(middle, base - max(values) * scale - 5, words, "middle", "s"))
    return document(width, height, title, machine, shapes)


def decades(values):
    """Powers of ten around values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


def panels(title, machine, across, drawn, names):
    """Beside each other, one panel for each `(unit, series)`: of each name the points
    `(x, y)`, both axes logarithmic."""
    width, height, top, bottom, gap = 980, 400, 64, 70, 70
    wide = (width - 195 - gap * len(drawn)) / len(drawn)
    shapes = legend(width - 180, top, names)
    for at, (unit, series) in enumerate(drawn):
        left = gap + at * (wide + gap)
        base = height - bottom
        points = [point for line_points in series.values() for point in line_points]
        xs, ys = decades([x for x, _ in points]), decades([y for _, y in points])

        def place(x, y):
            along = math.log10(x / xs[0]) / math.log10(xs[-1] / xs[0])
            up = math.log10(y / ys[0]) / math.log10(ys[-1] / ys[0])
            return left + along * wide, base - up * (base - top)

        for x in xs:
            px, _ = place(x, ys[0])
            shapes += [line(px, top, px, base, "g"), text(px, base + 16, short(x), "middle")]
        for y in ys:
            _, py = place(xs[0], y)
            shapes += [line(left, py, left + wide, py, "g"), text(left - 6, py + 4, f"{y:,g}", "end")]
        shapes += [
            line(left, base, left + wide, base, "a"),
            line(left, top, left, base, "a"),
            text(left - 40, top - 12, unit),
            text(left + wide / 2, base + 34, across, "middle"),
        ]
        for index, name in enumerate(names):
            if not series.get(name):
                continue
            colour = COLOURS[index % len(COLOURS)]
            placed = [place(x, y) for x, y in sorted(series[name])]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            shapes.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            shapes += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
    return document(width, height, title, machine, shapes)
