"""The commands, one module each; :class:`tui.commands.lookup.Command` says what a command is."""
