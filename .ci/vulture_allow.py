"""Names that nothing in tui/ reads, and why they stay: vulture takes what is listed here for used."""

# Textual reads or calls them.
_.ALLOW_MAXIMIZE
_.ENABLE_COMMAND_PALETTE
_.border_title
_.can_focus
_.check_action
_.panic
_.parameters  # of check_action
_.post_display_hook
_.render_bar
_.window_size  # of render_bar, and so the next three
_.vertical
_.back_color
_.bar_color
_.render_segments
_.renderables  # of panic
_.renderer
_.virtual_size
_._fatal_error
_._disable_mouse_support
_._enable_mouse_support
_._run_input_thread

# NumPy and sqlite3 read them.
_.text_factory
_.writeable

# Columns that descriptors of events name in their facts.
_.dynamic_shared
_.event_class
_.graph
_.graph_exec
_.local_per_thread
_.registers
_.static_shared

# Fields of a tuple that is compared as a whole.
_.inode
_.modified_ns

# Builders of the side pane's tabs, imported by name so that no frame waits for them.
_.api_page
_.blame_page
_.classes_page
_.clocks_page
_.collectives_page
_.copies_page
_.cpu_lanes
_.cpu_page
_.metric_lanes
_.memory_lanes
_.unified_lanes
_.context_lanes
_.windows_lanes
_.metrics_page
_.rate_hz
_.memory_page
_.diagnosis_page
_.exposed_page
_.notes_page
_.counter_lanes
_.network_lanes
_.mark_lanes
_.network_page
_.nvtx_page
_.os_page
_.overview_page
_.pace_page
_.ranks_page
_.steps_page
_.events_page
_.ranges_page

# Textual calls them.
_.get_suggestion
_.check_consume_key
_.suggester

# The tests wait for it: the app is at rest.
_.computing
_.looking

# Keys call them by name: tests/app/test_keys.py holds every action to its method.
_.bring_back
_.copy_target
_.events
_.exporter
_.fit_all
_.fold
_.ranges
_.follow
_.project
_.heat
_.maximise
_.move_cursor
_.move_line
_.next_report
_.notices
_.palette
_.not_here
_.range_here
_.range_start
_.redraw
_.step_choice
_.reload
_.show_numbered
_.toggle_fold_all
_.widen
_.zoom

# Read by name, a column a field.
_.worse_pct

# A summary keeps it for deviations over the ranks of a set.
_.squares
