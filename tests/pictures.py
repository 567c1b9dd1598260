"""What tests ask of a picture."""

from matplotlib.text import Text


def written(figure):
    """Every text in it."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_visible()]


def on_paper(figure):
    """Whether everything that is drawn lies wholly on the paper."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    return box.x0 >= -0.01 and box.y0 >= -0.01 and box.x1 <= width + 0.01 and box.y1 <= height + 0.01
