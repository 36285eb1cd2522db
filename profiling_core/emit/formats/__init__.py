"""What holds, in the formats of other tools: one file per format, all from the same contract."""
