"""Options that several commands share, and the values of the library that they stand for."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from priori.cli.table_options import table_reading_options
from priori.cli.verbosity import verbosity_options

if TYPE_CHECKING:
    from priori.readings import Alpha, ClassPrior, Readings
    from priori.smoothing import Smoothing
    from priori.sources import ReadOptions
    from priori.text import Analyzer

Function = TypeVar("Function", bound=Callable[..., Any])
# As in priori.sources.sniff, which is too slow to import for a list of names.
FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow", "mbox", "maildir", "eml", "txt", "fasttext", "folder")


def common_options(function: Function) -> Function:
    """--json, -q and -v, that every command has."""
    json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout, nothing else.")
    return json(verbosity_options(function))


def json_lines_options(function: Function) -> Function:
    """The same of a command that prints an object for each row."""
    json = click.option("--json", "as_json", is_flag=True, help="Print JSON lines on stdout, nothing else.")
    return json(verbosity_options(function))


def decorated(function: Function, options: list[Any]) -> Function:
    """A command with these options, in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def jobs_option(function: Function) -> Function:
    """--jobs."""
    text = "Threads; the result is the same for any number.  [default: PRIORI_NUM_THREADS, or all processors]"
    return click.option("--jobs", type=click.IntRange(min=1), metavar="N", help=text)(function)


# --- sources ----------------------------------------------------------------------------------------------------------


def conditions(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """COLUMN=VALUE as pairs."""
    pairs = tuple(value.partition("=") for value in values)
    for (name, equals, _), value in zip(pairs, values, strict=True):
        if not equals or not name:
            raise click.BadParameter(f"{value!r} is no condition; write COLUMN=VALUE, as in split=train")
    return tuple((name, wanted) for name, _, wanted in pairs)


def source_options(function: Function) -> Function:
    """How labelled sources are read; gathered by `read_options`."""
    option = click.option
    labels = [
        option("--text", default="text", show_default=True, metavar="COL", help="The column with the text."),
        option("--label", default="label", show_default=True, metavar="COL", help="The column with the labels."),
        option("--weight", metavar="COL", help="A column with weights."),
    ]
    return decorated(function, [*labels, _field(), *_bytes_options()])


def unlabelled_source_options(function: Function) -> Function:
    """How sources are read whose labels do not matter; gathered by `read_options`."""
    text = click.option("--text", default="text", show_default=True, metavar="COL", help="The column with the text.")
    return decorated(function, [text, _field(), *_bytes_options()])


def plain_source_options(function: Function) -> Function:
    """How sources of single texts are read; gathered by `read_options`."""
    text = click.option("--text", default="text", show_default=True, metavar="COL", help="The column with the text.")
    return decorated(function, [text, *_bytes_options()])


def table_options(function: Function) -> Function:
    """How the columns of tables are read; all but --column and --weight are gathered by `read_options`."""
    option = click.option
    column = "The column with the data (repeatable where several make one observation).  [default: the only one]"
    weight = "A column with weights: 2 counts as the row twice."
    columns = [
        option("--column", "columns", multiple=True, metavar="COL", help=column),
        option("--weight", metavar="COL", help=weight),
    ]
    return decorated(function, [*columns, *_bytes_options()])


def labelled_table_options(function: Function) -> Function:
    """How tables with a column of labels are read; gathered by `read_options`."""
    label = click.option(
        "--label", default="label", show_default=True, metavar="COL", help="The column with the labels."
    )
    return decorated(function, [label, *_bytes_options()])


def _field() -> Any:
    return click.option(
        "--field", "fields", multiple=True, metavar="COL", help="A further column of text (repeatable)."
    )


def file_options(function: Function) -> Function:
    """How the bytes of a table are to be understood that is read as a whole; gathered by `read_options`."""
    return decorated(function, _format_options())


def _bytes_options() -> list[Any]:
    where = "Only rows whose column has this value (repeatable)."
    return [
        click.option("--where", multiple=True, metavar="COL=VALUE", callback=conditions, help=where),
        *_format_options(),
        click.option("--no-header", is_flag=True, help="The first row is data; columns are called 0, 1, ..."),
    ]


def _format_options() -> list[Any]:
    option = click.option
    return [
        option(
            "--format",
            type=click.Choice(FORMATS),
            metavar="FORMAT",
            help=f"One of {', '.join(FORMATS)}.  [default: by extension or content]",
        ),
        option("--encoding", default="utf-8", show_default=True, help="Of the text in files."),
        option("--delimiter", metavar="CHAR", help="Between columns.  [default: comma in csv, tab in tsv]"),
        option("--quote", metavar="CHAR", help="Around values; '' for none.  [default: \" in csv, none in tsv]"),
    ]


def read_options(given: dict[str, Any], keep: tuple[str, ...] = ()) -> "ReadOptions":
    """The source options of a command as one value; what they stand for is taken out of `given`."""
    from priori.sources.options import ReadOptions

    delimiter = given.pop("delimiter")
    return ReadOptions(
        text=given.pop("text", None),
        label=given.pop("label", None),
        weight=given.pop("weight", None),
        fields=given.pop("fields", ()),
        keep=keep,
        where=given.pop("where", ()),
        format=given.pop("format"),
        encoding=given.pop("encoding"),
        delimiter="\t" if delimiter == "\\t" else delimiter,
        quote=given.pop("quote"),
        header=not given.pop("no_header", False),
    )


# --- analyzers --------------------------------------------------------------------------------------------------------


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
    return decorated(function, [features, _ngrams_option(ngrams), binary, *_word_options()])


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
    return decorated(function, [features, _ngrams_option("1"), binary, *_word_options()])


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
            *_word_options(),
        ],
    )


def _several_ngrams(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[int, int]]:
    return [_range_of(value) for value in values]


def _word_options(of_classes: bool = True) -> list[Any]:
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


def lm_options(function: Function) -> Function:
    """What a language model counts, gathered by `analyzer_of`, and how that is read."""
    option = click.option
    methods = "kneser-ney, absolute, dirichlet, jelinek-mercer or ml.  [default: kneser-ney]"
    unknown = "Words never seen: one slot for all of them, or passed over."
    words = _word_options(of_classes=False)
    kinds = click.Choice(["words", "chars"])
    return decorated(
        function,
        [
            option("--smoothing", callback=_smoothing, metavar="METHOD[:NUMBER]", default="kneser-ney", help=methods),
            option(
                "--alpha",
                type=click.FloatRange(min=0),
                default=1.0,
                metavar="NUMBER",
                show_default=True,
                help="(dirichlet) Imagined count of every word.",
            ),
            option(
                "--unknown", type=click.Choice(["prior", "ignore"]), default="prior", show_default=True, help=unknown
            ),
            option("--features", type=kinds, default="words", show_default=True, help="Words, or characters."),
            *words,
        ],
    )


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


# --- readings ---------------------------------------------------------------------------------------------------------


def _alpha(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "Alpha | None":
    if value is None or value in {"auto", "evidence"}:
        return value  # type: ignore[return-value]
    try:
        alpha = float(value)
    except ValueError:
        alpha = math.nan
    if not 0 <= alpha < math.inf:
        raise click.BadParameter(f"{value!r} is no prior count; give auto, evidence, or a number from 0, such as 0.5")
    return alpha


def _class_prior(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "ClassPrior | None":
    if value is None:
        return None
    if value in {"ml", "uniform"}:
        return value  # type: ignore[return-value]
    try:
        if "=" not in value:
            return float(value)
        parts = (part.rpartition("=") for part in value.split(","))
        return {label.strip(): float(share) for label, _, share in parts}
    except ValueError:
        raise click.BadParameter(f"{value!r} is none of ml, uniform, a number, or label=p,label=p") from None


def _smoothing(ctx: click.Context, parameter: click.Parameter, value: str | None) -> "Smoothing | None":
    if value is None:
        return None
    from priori.errors import DataError
    from priori.smoothing import Smoothing

    try:
        return Smoothing.of(value)
    except DataError as error:
        raise click.BadParameter(str(error)) from None


def _selection(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None or value == "all":
        return value
    from priori.errors import DataError
    from priori.term_selection import TermSelection

    try:
        return str(TermSelection.of(value))
    except DataError as error:
        raise click.BadParameter(str(error).partition("; ")[2]) from error


def reading_options(function: Function) -> Function:
    """How the counts are read; gathered by `changed_readings`."""
    option = click.option
    events = click.Choice(["multinomial", "bernoulli", "complement", "language", "auto"])
    estimates = click.Choice(["ml", "unbiased", "map", "mean", "bayes", "integrated"])
    return decorated(
        function,
        [
            option(
                "--event",
                type=events,
                help="The event model of texts; language: an n-gram model of each class, as --ngrams and --smoothing "
                "say; auto chooses among the first three.  [default: multinomial]",
            ),
            option(
                "--smoothing",
                callback=_smoothing,
                metavar="METHOD[:NUMBER]",
                help="Of --event language: kneser-ney, absolute, dirichlet or jelinek-mercer.  [default: kneser-ney]",
            ),
            option(
                "--estimate",
                type=estimates,
                help="Of parameters (unbiased, mean: tables; integrated: texts).  [default: bayes; mean if gaussian]",
            ),
            option(
                "--alpha",
                callback=_alpha,
                metavar="auto|evidence|NUMBER",
                help="Imagined count of every term or value; auto and evidence choose it, for texts.  "
                "[default: auto; 1 for tables]",
            ),
            option("--prior", "prior_file", metavar="FILE.toml", help="Imagined counts by term, or by class and term."),
            option(
                "--class-prior",
                callback=_class_prior,
                metavar="ml|uniform|NUMBER|LABEL=P,...",
                help="Of the classes: by frequency, equal, a Dirichlet's alpha, or given.  [default: ml]",
            ),
            option(
                "--unknown",
                type=click.Choice(["ignore", "prior"]),
                help="Words or values never seen: left out, or given the prior's mass.  [default: ignore]",
            ),
            option(
                "--calibrate",
                type=click.Choice(["yes", "monotone", "no"]),
                help="Believe scores as far as left-out documents show; by a monotone map too; or as they are.  "
                "[default: yes, for texts]",
            ),
            option(
                "--select",
                metavar="RANKING:N|RANKING:auto|all",
                callback=_selection,
                help="The only terms that are read, by mi, mi-words, chi2, log-odds or count, as in mi:5000; auto: as "
                "many as left-out documents want.  [default: all]",
            ),
            *table_reading_options(),
        ],
    )


def changed_readings(readings: "Readings", given: dict[str, Any], fresh: "Alpha" = "auto") -> "Readings":
    """The readings with what was asked for changed, and all else as it was.

    fresh: the alpha of a reading that wants one, after one that had none.
    """
    from priori.errors import DataError
    from priori.readings import Prior

    prior_file, alpha, calibrate = given.pop("prior_file"), given.pop("alpha"), given.pop("calibrate")
    select = given.pop("select")
    names = ("event", "estimate", "class_prior", "unknown", "smoothing")
    changes: dict[str, Any] = {name: value for name in names if (value := given.pop(name)) is not None}
    if "smoothing" in changes and "language" not in (changes.get("event"), readings.event):
        raise click.UsageError("--smoothing is of language models; add --event language, or leave it out")
    if prior_file is not None or alpha is not None:
        prior = readings.prior if prior_file is None else Prior.from_toml(prior_file)
        changes["prior"] = prior if alpha is None else replace(prior, alpha=alpha)
    elif _no_alpha(readings.event, readings.smoothing) and not _no_alpha(
        changes.get("event", readings.event), changes.get("smoothing", readings.smoothing)
    ):
        changes["prior"] = Prior(fresh)
    if calibrate is not None:
        changes["calibrate"] = {"yes": True, "no": False}.get(calibrate, calibrate)
    if select is not None:
        changes["select"] = None if select == "all" else select
    try:
        return replace(readings, **changes)
    except DataError as error:
        raise click.UsageError(str(error)) from error


def _no_alpha(event: str, smoothing: "Smoothing") -> bool:
    """Whether a reading has no use for an alpha."""
    return event == "language" and smoothing.method != "dirichlet"
