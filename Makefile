# warp2wave. `make demo` and `make test` need nothing done before them.

BIN := .venv/bin

.PHONY: help demo test test-all check fix bench serve regen clean toolchain preflight

help:
	@echo "make demo      port a CUDA program and prove the port"
	@echo "make test      the quick tests (at most 15 minutes, toolchain download included)"
	@echo "make test-all  every check and test, as CI runs them (at most 60 minutes)"
	@echo "make check     linters, types, layers"
	@echo "make fix       let the linters mend what they can"
	@echo "make bench     the measurements behind the numbers in the docs"
	@echo "make serve     the service, on http://127.0.0.1:8642"
	@echo "make regen     write generated files anew (maintainers)"
	@echo "make clean     remove what was built here (not the toolchain in your cache folder)"

demo: .venv/synced
	$(BIN)/warp2wave demo

test: toolchain
	$(BIN)/pytest -m "not slow"

test-all: check toolchain
	$(BIN)/pytest

check: .venv/synced
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: .venv/synced
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: toolchain
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

serve: .venv/synced
	$(BIN)/warp2wave serve

regen: .venv/synced
	$(BIN)/python -m sandbox.toolchain.lock_packages
	$(BIN)/python bench/hipify_map.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

toolchain: .venv/synced
	@$(BIN)/python -m sandbox.toolchain fetch

preflight:
	@sh sandbox/toolchain/preflight.sh

.venv/synced: uv.lock pyproject.toml | preflight
	sh sandbox/toolchain/bootstrap.sh
