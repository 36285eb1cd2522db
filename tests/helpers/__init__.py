"""What tests share: projects and their deltas, states, servers that listen, and tables with names that hurt."""
