"""Pure NumPy algebra of half-open intervals in int64 nanoseconds. Knows nothing of nsys."""

from tui.intervals.coverage import Coverage as Coverage
from tui.intervals.enclosing import tightest_around as tightest_around
from tui.intervals.nesting import lanes_for_overlaps as lanes_for_overlaps
from tui.intervals.pairing import covered as covered
from tui.intervals.pairing import paired as paired
from tui.intervals.spans import Pieces as Pieces
from tui.intervals.spans import Spans as Spans
from tui.intervals.spans import empty as empty
from tui.intervals.spans import expand as expand
from tui.intervals.spans import intersect as intersect
from tui.intervals.spans import outermost as outermost
from tui.intervals.spans import overlap_length as overlap_length
from tui.intervals.spans import overlaps as overlaps
from tui.intervals.spans import split as split
from tui.intervals.spans import subtract as subtract
from tui.intervals.spans import total as total
from tui.intervals.spans import union as union
from tui.intervals.spans import union_of_blocks as union_of_blocks
from tui.intervals.stab import LastReaching as LastReaching
from tui.intervals.stab import Stabber as Stabber
from tui.intervals.stab import inner_last as inner_last
from tui.intervals.stab import lookup as lookup
from tui.intervals.stab import next_index as next_index
from tui.intervals.stab import previous_index as previous_index
