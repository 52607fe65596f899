"""The commands, one module each; they import the rest of the product only when run."""
