"""Charts of the evaluations as SVG: one file without scripts and links, with colours for light and
dark mode, that colour-blind people can distinguish (Okabe and Ito).

  dots    a row for each program, a dot for each variant, with its interval where it has one
  course  lines over iterations, with the phases that they fall into
"""
import math
from html import escape

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800", "#777777")
STYLE = (
    "<style>svg{--text:#1c2024;--faint:#62686f;--line:#d9dde1;--back:#fff;background:var(--back)}"
    "@media(prefers-color-scheme:dark){svg{--text:#e4e6e9;--faint:#9aa1a9;--line:#3a4047;"
    "--back:#16191d}}text{font:12px system-ui,sans-serif;fill:var(--text)}.faint{fill:var(--faint)}"
    ".title{font-size:15px;font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}</style>")
LEGEND_COLUMN, LEGEND_ROW = 150, 18


class Picture:
    """Elements of a chart, and its size."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = []

    def text(self, x, y, what, style=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{escape(what)}</text>')

    def line(self, x1, y1, x2, y2, colour="var(--line)", width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"/>')

    def add(self, element):
        self.parts.append(element)

    def heading(self, title, about, left):
        self.text(left, 24, title, "title")
        self.text(left, 42, about, "faint")

    def legend(self, names, left):
        """Returns where it ends."""
        column = max(LEGEND_COLUMN, 40 + 7 * max(map(len, names)))
        columns = max(1, int((self.width - left) // column))
        for i, name in enumerate(names):
            x, y = left + column * (i % columns), 64 + LEGEND_ROW * (i // columns)
            self.add(f'<circle cx="{x + 5:.1f}" cy="{y - 4:.1f}" r="4.5" fill="{colour(i)}"/>')
            self.text(x + 16, y, name)
        return 64 + LEGEND_ROW * ((len(names) - 1) // columns)

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} '
                f'{self.height:.0f}" width="{self.width:.0f}" height="{self.height:.0f}" role="img">')
        back = '<rect width="100%" height="100%" fill="var(--back)"/>'
        return "\n".join([head, STYLE, back, *self.parts, "</svg>\n"])


def colour(i):
    return COLOURS[i % len(COLOURS)]


def decimal_ticks(low, high):
    """1, 2 and 5 times powers of ten, with what lies between them where there are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = []
    for factors in ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)):
        found = [f * 10.0 ** k for k in powers for f in factors if low <= f * 10.0 ** k <= high]
        if len(found) >= 4:
            break
    return found


def ratio_ticks(low, high):
    """Powers of two, with what lies between them where there are few."""
    powers = [2.0 ** k for k in range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)]
    found = []
    for factors in ((1,), (1, 1.5), (1, 1.25, 1.5, 1.75), (1, 1.1, 1.2, 1.3, 1.5, 1.7, 1.9)):
        found = [p * f for p in powers for f in factors if low <= p * f <= high]
        if len(found) >= 4:
            break
    return found


def dots(title, about, rows, reference=1.0):
    """rows: {program: {variant: (value, low, high)}}, low and high may be None; logarithmic."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    left, right, row_height = 190, 40, 26
    picture = Picture(860, 0)
    picture.heading(title, about, 16)
    top = picture.legend(names, 16) + 18
    bottom = top + row_height * len(rows)
    picture.height = bottom + 40
    numbers = [x for row in rows.values() for triple in row.values() for x in triple if x and x > 0]
    numbers.append(reference)
    low, high = min(numbers) / 1.03, max(numbers) * 1.03

    def x(value):
        share = math.log(value / low) / math.log(high / low)
        return left + (picture.width - left - right) * share

    for tick in ratio_ticks(low, high):
        picture.line(x(tick), top, x(tick), bottom)
        picture.text(x(tick), bottom + 18, f"{tick:g}", "middle faint")
    picture.line(x(reference), top, x(reference), bottom, "var(--text)")
    for r, (program, row) in enumerate(rows.items()):
        y = top + row_height * (r + 0.5)
        if r % 2 == 1:
            picture.add(f'<rect x="8" y="{y - row_height / 2:.1f}" width="{picture.width - 16}" '
                        f'height="{row_height}" fill="var(--line)" opacity="0.25"/>')
        picture.text(left - 12, y + 4, program, "end")
        for name, (value, least, most) in row.items():
            i = names.index(name)
            at = y + (i - (len(names) - 1) / 2) * min(3.4, 20 / max(len(names), 1))
            if least is not None and most is not None:
                picture.line(x(max(least, low)), at, x(most), at, colour(i), 1.5)
            picture.add(f'<circle cx="{x(value):.1f}" cy="{at:.1f}" r="3.6" fill="{colour(i)}">'
                        f'<title>{escape(program)}: {escape(name)}: {value:.3f}</title></circle>')
    return picture.svg()


def course(title, about, curves, phases, unit):
    """curves: {variant: values}; phases: (name, iterations), one after the other; logarithmic."""
    width, height, left, right = 860, 400, 62, 24
    picture = Picture(width, height)
    picture.heading(title, about, 16)
    top, bottom = picture.legend(list(curves), 16) + 34, height - 34
    count = sum(n for _, n in phases)
    every = [v for values in curves.values() for v in values]
    high = max(every) * 1.1
    low = max(min(every) / 1.1, high / 2000)
    x = lambda k: left + (width - left - right) * (k + 0.5) / count
    y = lambda v: bottom - (bottom - top) * math.log(max(v, low) / low) / math.log(high / low)
    for tick in decimal_ticks(low, high):
        picture.line(left, y(tick), width - right, y(tick))
        picture.text(left - 8, y(tick) + 4, f"{tick:g}", "end faint")
    picture.text(left, bottom + 24, f"iteration; {unit}", "faint")
    at = 0
    for name, n in phases:
        if at:
            picture.line(x(at - 0.5), top - 8, x(at - 0.5), bottom, "var(--faint)")
        picture.text(x(at + (n - 1) / 2), top - 10, name, "middle faint")
        at += n
    for i, (name, values) in enumerate(curves.items()):
        points = " ".join(f"{x(k):.1f},{y(v):.1f}" for k, v in enumerate(values))
        picture.add(f'<polyline fill="none" stroke="{colour(i)}" stroke-width="1.6" points="{points}"/>')
        for k, v in enumerate(values):
            picture.add(f'<circle cx="{x(k):.1f}" cy="{y(v):.1f}" r="2.6" fill="{colour(i)}">'
                        f'<title>{escape(name)}, {k + 1}: {v:.3g}</title></circle>')
    return picture.svg()
