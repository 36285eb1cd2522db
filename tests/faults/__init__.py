"""Faults put into processes of the product: killed, refused, cut off at any point where they change something."""
