"""Rows -> pictures, for pages and report alike: values go in, texts and JSON come out; no streamlit here.

plain.py        text of a log as it may be shown: no control and no bidi characters, clipped, cut points said
replay_widget/  the replay, as html, css and js that run without a build, and what is fed to them
"""
