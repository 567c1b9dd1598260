"""The command line: parse, call the library, print. No mathematics here."""


def main() -> None:
    """Run `priori` and leave with its exit code."""
    from priori.cli.app import run

    run()
