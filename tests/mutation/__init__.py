"""Mutants of the memory: small changes of its code, each of which a test has to notice.

nice -n 19 python -m tests.mutation [--sample N] [--seed S] [--file NAME] [--list]
"""
