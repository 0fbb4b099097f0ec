"""The explorer of a page: sliders that move the model's curve in the browser, without a kernel.

The run emits one document (`document`): demands by count, hand-off by depth, correction by simulation, measured points
and the band of the fitted answer. A small solver in the page computes the curves from it; `replay` is its twin in
Python, and says by how much the page is off. `page` makes the HTML, `picture` the drawing for readers without scripts.
"""

MIME = "application/vnd.mpps.explorer+json"
SCHEMA = "mpps.explorer/1"
