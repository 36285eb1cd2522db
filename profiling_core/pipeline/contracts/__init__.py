"""Rules that people wrote elsewhere: read from their files, and followed from then on as their own."""
