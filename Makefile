PY := .venv/bin/
PYTHON = $(shell for p in python3.13 python3.12 python3.11 python3; do $$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

setup: .venv/dev.stamp

.venv/bin/python:
	$(PYTHON) -m venv --clear .venv

.venv/run.stamp: deploy/requirements.lock pyproject.toml | .venv/bin/python
	$(PY)python -m pip install --quiet --require-hashes -r deploy/requirements.lock
	$(PY)python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: deploy/requirements-dev.lock .venv/run.stamp
	$(PY)python -m pip install --quiet --require-hashes -r deploy/requirements-dev.lock
	@touch $@

COMPILE = env -u PIP_FIND_LINKS -u UV_FIND_LINKS $(PY)uv pip compile --quiet pyproject.toml --universal \
	--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock:
	$(COMPILE) --group build -o deploy/requirements.lock
	$(COMPILE) --group build --group dev -c deploy/requirements.lock -o deploy/requirements-dev.lock
