"""The command line: parse, call the library, print. No mathematics here."""


def main() -> None:
    """Run `priori` and leave with its exit code."""
    import gc

    # Imports make many objects and no garbage: looking for some 60 times takes a tenth of a short command.
    gc.set_threshold(100_000)
    from priori.cli.app import run

    run()
