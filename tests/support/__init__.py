"""Naive twins, data and servers that several tests share."""
