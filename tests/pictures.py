"""What tests ask of a picture."""

from matplotlib.text import Text


def written(figure):
    """Every text in it."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_visible()]


def said(figure):
    """All of it as one text."""
    return "\n".join(written(figure))


def curve(axes, name):
    """The points of a curve by its name; None where it is not drawn."""
    return next((line.get_data() for line in axes.lines if line.get_label() == name), None)


def on_paper(figure):
    """Whether everything that is drawn lies wholly on the paper."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    return box.x0 >= -0.01 and box.y0 >= -0.01 and box.x1 <= width + 0.01 and box.y1 <= height + 0.01
