# Two commands: `make compare` (the comparison on wine) and `make test`. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: compare test test-fast test-slow fuzz docs pictures leaderboard install setup browser lint bench bench-check figures-check clean

compare: install
	@engine=python; command -v R >/dev/null 2>&1 && engine=both; \
	$(BIN)/xcompare compare wine --engine $$engine --out out/wine

# Neighbours among the tests go to the same process, which has then loaded what they share.
test: setup browser lint
	@$(BIN)/pytest -n 2 --dist worksteal

# While working: without the tests marked slow.
test-fast: setup lint
	@$(BIN)/pytest -n 2 --dist worksteal -m "not slow and not endurance"

# Before a release: what takes too long for every day (kills, leaks, hangs by the hundred).
test-slow: setup
	@$(BIN)/pytest -m endurance --timeout 3600

# The properties on fresh examples, many of them.
fuzz: setup
	@$(BIN)/pytest -n 2 --dist worksteal -m hypothesis --hypothesis-profile fuzz --timeout 3600

# $(1): the extras to install into .venv, beside rpy2, which is built against R and left out when there is none.
define install
r=; command -v R >/dev/null 2>&1 && r=r; \
extras=$(1)$${r:+$(if $(1),$(comma))r}; \
stamp=.venv/.installed-$$extras; \
if [ ! -e $$stamp ] || [ pyproject.toml -nt $$stamp ]; then \
    echo "installing xcompare$${extras:+ with $$extras} into .venv"; \
    { [ -x $(BIN)/pip ] || $(PYTHON) -m venv .venv || { \
        echo "no environment: python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }; } && \
    $(BIN)/pip install -q -e ".$${extras:+[$$extras]}" && touch $$stamp .venv/.installed-$$r; \
fi
endef
comma := ,

# What comparing needs, and no more.
install:
	@sh r_scripts/install_debian.sh
	@$(call install)

# Everything. Last the package is compiled, as pip does with what it installs but not with what is edited in place: tests
# start processes by the hundred.
setup:
	@sh r_scripts/install_debian.sh test
	@$(call install,dev)
	@$(BIN)/python -m compileall -q xcompare

# The report is tested in a real browser; without one, those tests skip and say so.
browser:
	@sh tests/install_browser.sh

lint:
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# The documentation as a site, into site/: open site/index.html.
docs: setup
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The pictures in docs/, anew.
pictures: setup browser
	@$(BIN)/python docs/pictures.py

# Every method on every scenario, into docs/leaderboard.md with its figures and all results; and what reports say of
# data like those.
# Half an hour on two idle cores; when it is stopped, the same again goes on. Of scanpy, only its data are used.
leaderboard: setup
	@$(BIN)/python -c "import h5py" 2>/dev/null || $(BIN)/pip install -q --no-deps scanpy h5py
	@$(BIN)/xcompare bench --tiers 1,2,3 --out out/bench --page docs/leaderboard.md
	@cp out/bench/by_scenario.csv xcompare/io/datasets/leaderboard.csv

# Bagging beside bare K-means, into docs/scaling.md. The check fails where a ratio slipped to twice its goal; it is no
# part of the tests, which must not hang on the noise of a machine.
bench: setup
	@$(BIN)/python -m benchmarks.bagged_clustering

bench-check: setup
	@$(BIN)/python -m benchmarks.bagged_clustering --check

# Numbers in README and docs that are older than the code they measure.
figures-check: install
	@$(BIN)/python -m benchmarks.figures_check

clean:
	rm -rf .venv out site .pytest_cache .mypy_cache .ruff_cache .hypothesis
