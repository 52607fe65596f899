"""The commands, one module each; they import the rest of the product only when run.

A command ``x`` of :data:`tui.commands.lookup.COMMANDS` is the module ``tui.commands.x`` and has

``NAME: str``
    the word on the command line;
``SUMMARY: str``
    one line for ``nsystui --help``, lower case, no full stop;
``add_arguments(parser: argparse.ArgumentParser) -> None``
    its options; the shared ones come from :mod:`tui.commands.common`
    (``add_report``, ``add_scope``, ``add_output``, ``add_store``), so that one option means one
    thing everywhere. ``parser.description`` and ``parser.epilog`` may be set here;
``run(args: argparse.Namespace) -> int``
    the work; returns the exit code. Data goes to stdout (best through ``common.write_tables``),
    talk to stderr. Failures are raised as :class:`tui.errors.NsystuiError`: its text becomes the
    one line ``nsystui: TEXT`` and its ``exit_code`` the exit code. A closed pipe, Ctrl-C and
    unexpected exceptions are :mod:`tui.cli`'s business.

At module level a command imports the standard library, :mod:`tui.errors` and
:mod:`tui.commands.common`, and nothing else: ``nsystui --help`` imports every command and must load
neither NumPy nor Textual. A typical ``run``::

    def run(args: argparse.Namespace) -> int:
        report = common.open_report(args)
        scope = common.scope(report, args)
        from tui.analysis.steps import step_table

        common.write_tables([step_table(report, scope)], report, scope, args)
        return 0
"""
