"""Soaks: long runs that look for what a test of a second cannot find."""
