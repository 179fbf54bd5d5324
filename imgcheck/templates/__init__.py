"""Files that `imgcheck init` writes, and that CI examples are."""
