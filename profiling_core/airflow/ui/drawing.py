"""The one drawing on the pages: a constraint's error over the versions, as inline SVG without style or script."""

from collections.abc import Sequence

from markupsafe import Markup

from profiling_core.model.lifecycle import Tracked

WIDTH, HEIGHT, LEFT, TOP = 1100, 130, 10, 12


def history_chart(history: Sequence[tuple[str, Tracked]]) -> Markup:
    """The error over the versions as a step line; empty for fewer than two versions or an error that never was."""
    errors = [tracked.measured.error for _, tracked in history]
    highest = max(errors, default=0.0)
    if len(errors) < 2 or highest == 0.0:  # noqa: PLR2004 - one point is no line
        return Markup("")
    step = (WIDTH - 2 * LEFT) / (len(errors) - 1)
    points = [(LEFT + i * step, TOP + (HEIGHT - 2 * TOP) * (1 - e / highest)) for i, e in enumerate(errors)]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
    dots = Markup("").join(
        Markup('<circle cx="{}" cy="{}" r="3" class="{}"><title>{}: {} violations</title></circle>').format(
            f"{x:.1f}", f"{y:.1f}", "bad" if e else "good", label, tracked.measured.violations
        )
        for (x, y), e, (label, tracked) in zip(points, errors, history, strict=True)
    )
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="error over the versions">'
        '<path d="M{},{}H{}" class="axis"/><path d="{}" class="line"/>{}</svg>'
    ).format(WIDTH, HEIGHT, LEFT, HEIGHT - TOP, WIDTH - LEFT, path, dots)
