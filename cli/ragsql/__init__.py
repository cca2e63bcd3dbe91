"""The command line of ragsql: sets up, migrates, loads, searches and diagnoses."""
