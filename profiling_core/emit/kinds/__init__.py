"""One module per kind of constraint: its SQL, its expectation, and what contracts say of it."""
