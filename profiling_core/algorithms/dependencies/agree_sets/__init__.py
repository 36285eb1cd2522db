"""DynASt: the multiset of agree sets of one table, from scratch and under inserts and deletes."""
