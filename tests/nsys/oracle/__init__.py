"""Our reports and rules beside those of NVIDIA's nsys 2023.4, cell by cell, over generated exports.

`python -m tests.nsys --exports 200 --seed 1` needs an nsys on PATH; the tests skip where there is none.
"""
