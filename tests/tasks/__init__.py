"""Six small tasks as a strong model does them, for the tests here and for bench/tasks.py.

Each `*.toml` holds a project, what is asked, what must hold afterwards, and the rounds of a model that was recorded in
outline: thoughts, calls, and what it has to have seen before the next step makes sense.
"""
