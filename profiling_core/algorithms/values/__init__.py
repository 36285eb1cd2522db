"""Column values as integer codes and canonical texts."""
