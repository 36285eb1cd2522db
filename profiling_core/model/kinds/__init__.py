"""One module per kind of constraint: what it is, says, and how it compares. CONTRIBUTING.md tells how to add one."""
