"""The nouns: frozen, typed, without input or output. Everything else speaks in them."""
