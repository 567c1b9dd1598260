"""Options of what counts as a feature, and the analyzer that they stand for."""

from typing import TYPE_CHECKING, Any

import click

from priori.cli.options.common import Function, decorated

if TYPE_CHECKING:
    from priori.text import Analyzer


def _ngrams(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    return None if value is None else _range_of(value)


def _range_of(value: str) -> tuple[int, int]:
    low, _, high = value.partition("-")
    try:
        pair = int(low), int(high or low)
    except ValueError:
        pair = 0, 0
    if not 1 <= pair[0] <= pair[1] <= 16:
        raise click.BadParameter(f"{value!r} is no range within 1 to 16; write it like 1-2, or 2 for bigrams only")
    return pair


def analyzer_options(function: Function, ngrams: str = "1") -> Function:
    """What counts as a feature; gathered by `analyzer_of`. `ngrams`: what is said of their default."""
    option = click.option
    kinds = click.Choice(["words", "chars", "chars_across"])
    features = option("--features", type=kinds, default="words", show_default=True, help="Words, or characters.")
    binary = option("--binary", is_flag=True, help="Count a feature once per document.")
    return decorated(function, [features, _ngrams_option(ngrams), binary, *word_options()])


def _ngrams_option(default: str) -> Any:
    said = f"Such as 1-2.  [default: {default}]"
    return click.option("--ngrams", metavar="LOW-HIGH", callback=_ngrams, help=said)


def clustered_analyzer_options(function: Function) -> Function:
    """The same where a feature counts once per document unless something else is asked for."""
    option = click.option
    kinds = click.Choice(["words", "chars", "chars_across"])
    once = "Count a feature once per document, or as often as it comes.  [default: once for em, as often for gibbs]"
    features = option("--features", type=kinds, default="words", show_default=True, help="Words, or characters.")
    binary = option("--binary/--repeats", default=None, help=once)
    return decorated(function, [features, _ngrams_option("1"), binary, *word_options()])


def candidate_options(function: Function) -> Function:
    """The ways of counting features to choose among; what is common to all of them is gathered by `analyzer_of`."""
    option = click.option
    kinds = click.Choice(["words", "chars", "chars_across"])
    ngrams = "Such as 1-2; repeat it to compare.  [default: 1 and 1-2; of characters 2-4 and 3-5]"
    return decorated(
        function,
        [
            option("--features", "kinds", type=kinds, multiple=True, help="Repeat to compare.  [default: words]"),
            option("--ngrams", "orders", multiple=True, metavar="LOW-HIGH", callback=_several_ngrams, help=ngrams),
            option("--binary", "once", is_flag=True, help="Compare with counting a feature once per document, too."),
            *word_options(),
        ],
    )


def _several_ngrams(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[int, int]]:
    return [_range_of(value) for value in values]


def word_options(of_classes: bool = True) -> list[Any]:
    """`of_classes`: with those that language models have no use for."""
    option = click.option
    shortest = "Shorter words are left out."
    classes = [
        option("--compat", type=click.Choice(["sklearn"]), help="Exactly the tokens of CountVectorizer."),
        option("--vocabulary", metavar="FILE", help="The only terms that count, one per line."),
    ]
    return [
        option("--min-length", type=click.IntRange(min=1), default=1, show_default=True, help=shortest),
        option("--no-lowercase", is_flag=True, help="Keep capital letters."),
        option("--fold-accents", is_flag=True, help="Read é as e."),
        *(classes if of_classes else []),
        option("--stop-words", metavar="LANG|FILE", multiple=True, help="Words that do not count (repeatable)."),
        option("--stem", metavar="LANG", help="Count words as their stems: english, spanish, ..."),
    ]


def analyzer_of(given: dict[str, Any]) -> "Analyzer":
    """The analyzer that was asked for."""
    from priori.errors import DataError
    from priori.text import Analyzer
    from priori.text.stems import algorithm_of

    vocabulary = given.pop("vocabulary", None)
    features, stop_words, stem = given.pop("features", "words"), given.pop("stop_words"), given.pop("stem")
    if features != "words" and (stop_words or stem is not None):
        raise click.UsageError(f"stop words and stems are of words, not of --features {features}; leave them out")
    try:
        stopped, stem = _stop_words_of(stop_words), None if stem is None else algorithm_of(stem)
    except DataError as error:
        raise click.UsageError(str(error)) from error
    return Analyzer(
        features=features,
        ngrams=given.pop("ngrams", None) or (1, 1),
        min_length=given.pop("min_length"),
        lowercase=not given.pop("no_lowercase"),
        fold_accents=given.pop("fold_accents"),
        binary=given.pop("binary", False),
        compat=given.pop("compat", None),
        vocabulary=None if vocabulary is None else _terms_of(vocabulary),
        stem=stem,
    ).with_stop_words(stopped)


def _stop_words_of(names: tuple[str, ...]) -> list[Any] | None:
    """Languages by their names, all else as files."""
    if not names:
        return None
    from pathlib import Path

    from priori.text.stop_words import is_file, languages, list_of

    known = languages()
    for name in names:
        if name not in known and not is_file(name):
            list_of(name)  # which says what there is
    return [known[name] if name in known else Path(name) for name in names]


def _terms_of(path: str) -> tuple[str, ...]:
    from pathlib import Path

    from priori.errors import DataError

    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"the vocabulary {path} is not UTF-8 text ({error}); save it as UTF-8") from error
    return tuple(line.rstrip("\r") for line in lines if line.strip())
