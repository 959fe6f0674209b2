"""Small changes of the code, each of which a test has to notice: of the memory, and of each row of the register.

nice -n 19 python -m tests.mutation [--sample N] [--seed S] [--file NAME] [--list]
nice -n 19 python -m tests.mutation register [ROW…] [--done FILE]
"""
