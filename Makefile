SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint freeze clean

help: ## Show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## Install the server packages and make .venv, where they are missing
	@bash cli/setup/install-server.sh
	@bash cli/setup/make-venv.sh

demo: setup ## Load a manual and ask it three questions (DEMO=all, DOCS=dir, QUESTION=text)
	@bash cli/setup/demo.sh

test: setup lint ## Check the code and run the whole test suite
	@.venv/bin/pytest --numprocesses auto --maxprocesses 4 --dist loadfile

lint: setup ## Check style and types
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --quiet --check .
	@.venv/bin/mypy --no-error-summary

freeze: setup ## Copy the changed files of sql/ into a revision (REV=0007_name)
	@.venv/bin/python migrations/freeze.py $(REV)

clean: ## Stop the private cluster; remove it with all its data, .venv and caches
	@bash cli/setup/clean.sh
