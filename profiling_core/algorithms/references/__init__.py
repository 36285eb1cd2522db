"""Rules along references: rows beside their parents and their children, found and counted (docs/semantics.md)."""
