"""The covers of two versions become a change set, with lifecycle and rank."""
