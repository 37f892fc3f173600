"""Inline scripts: which literal paths they open, print, list and write.

python_values.py    what a value in a Python script is to us: a path, content of files, a listing, a count
python_script.py    a Python script, parsed with ast and followed statement by statement
python_calls.py     the table of Python functions and methods
literal_paths.py    other languages (node, perl, ruby): literal paths and what is done with them
"""
