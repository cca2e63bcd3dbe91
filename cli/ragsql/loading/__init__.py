"""Reading documents from files and storing each in one transaction."""
