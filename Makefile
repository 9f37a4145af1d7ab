# The verbs of a developer's day. `make test` needs Debian and root for the servers it installs;
# name running ones in HEADWATER_TEST_MYSQL, HEADWATER_TEST_POSTGRES, HEADWATER_TEST_KAFKA instead.
PYTHON ?= python3
ARGS ?=
PYTEST_ARGS ?=
SOURCES = pyproject.toml setup.py $(shell find src -name '*.py' -o -name '*.pxd')
SERVERS = mysql97 postgres kafka

# The two environments are built in the same build folder.
.NOTPARALLEL:
.PHONY: demo venv test lint bench fuzz servers stop-servers reference clean

demo: .venv-demo/.done
	.venv-demo/bin/python -m headwater.demo $(ARGS)

.venv-demo/.done: $(SOURCES)
	test -x .venv-demo/bin/python || $(PYTHON) -m venv .venv-demo
	.venv-demo/bin/pip install -q --disable-pip-version-check '.[demo]'
	touch $@

venv: .venv/.done

test: .venv/.done .venv-pure/.done
	tools/test $(PYTEST_ARGS)

.venv/.done: $(SOURCES)
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	rm -rf build
	HEADWATER_REQUIRE_COMPILED=1 .venv/bin/pip install -q --disable-pip-version-check '.[dev,demo]'
	touch $@

.venv-pure/.done: $(SOURCES)
	test -x .venv-pure/bin/python || $(PYTHON) -m venv .venv-pure
	rm -rf build
	HEADWATER_PURE=1 .venv-pure/bin/pip install -q --disable-pip-version-check '.[dev,demo]'
	touch $@

lint: .venv/.done
	.venv/bin/ruff check src tests tools bench setup.py
	.venv/bin/mypy
	PYTHONPATH=src .venv/bin/lint-imports

# ARGS: see bench/mysql.py; it needs a running server (make servers).
bench: .venv/.done
	.venv/bin/python bench/mysql.py $(ARGS)

# Random and damaged bytes at everything that reads bytes of others; what is found is kept in .hypothesis.
fuzz: .venv/.done
	.venv/bin/python -m pytest -m hypothesis --hypothesis-profile=fuzz --timeout 3600 $(PYTEST_ARGS)

reference: .venv/.done
	.venv/bin/python tools/gen_reference.py

servers:
	for s in $(SERVERS); do tools/servers/$$s start; done

stop-servers:
	for s in $(SERVERS); do tools/servers/$$s stop; done

clean:
	rm -rf build .venv .venv-pure .venv-demo
	find src -name '*.so' -delete
