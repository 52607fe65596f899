"""What threads did on CPUs: when they ran, which functions the samples and backtraces name."""
