# For OpenBench and for people who like `make`: builds the release program and puts it here as $(EXE).
# Variables other builds need (CC, CXX, EVALFILE) are accepted and not used.

EXE ?= quarterply
CARGO ?= cargo
TARGET_DIR ?= target

ifeq ($(OS),Windows_NT)
  SUFFIX := .exe
else
  SUFFIX :=
endif

OUTPUT := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all fast test check dist book clean

all:
	$(CARGO) build --release --locked --package quarterply --target-dir $(TARGET_DIR)
	cp $(TARGET_DIR)/release/quarterply$(SUFFIX) $(OUTPUT)

# The same program, compiled a second time with a profile of its own bench: faster, and it searches the same nodes. Needs
# `rustup component add llvm-tools`.
GUIDED := $(abspath $(TARGET_DIR))/guided
PROFDATA := $(shell find "$$(rustc --print sysroot)" -name 'llvm-profdata*' 2>/dev/null | head -n 1)
GUIDED_BUILD = $(CARGO) build --release --locked --package quarterply --config "target.'cfg(all())'.rustflags=['-C', '$(1)']"

fast:
	@[ -n "$(PROFDATA)" ] || { echo 'no llvm-profdata: rustup component add llvm-tools'; exit 1; }
	rm -rf $(GUIDED)/profiles
	$(call GUIDED_BUILD,profile-generate=$(GUIDED)/profiles) --target-dir $(GUIDED)/first
	$(GUIDED)/first/release/quarterply bench --quiet > $(GUIDED)/first.txt
	"$(PROFDATA)" merge -o $(GUIDED)/merged.profdata $(GUIDED)/profiles
	$(call GUIDED_BUILD,profile-use=$(GUIDED)/merged.profdata) --target-dir $(GUIDED)/second
	$(GUIDED)/second/release/quarterply bench --quiet > $(GUIDED)/second.txt
	@cat $(GUIDED)/first.txt $(GUIDED)/second.txt
	@[ "$$(sed 's/ nodes.*//' $(GUIDED)/first.txt)" = "$$(sed 's/ nodes.*//' $(GUIDED)/second.txt)" ] || \
	  { echo 'the two builds search different nodes: not taken'; exit 1; }
	cp $(GUIDED)/second/release/quarterply$(SUFFIX) $(OUTPUT)

test:
	$(CARGO) test --release --workspace

check:
	.ci/run

# One file that starts on any Linux of this processor, without Rust and without libraries: the C library is linked into it. Only the
# program itself is compiled for that; everything else is shared with `make`.
dist:
	$(CARGO) rustc --release --locked --package quarterply --features nats --bin quarterply --target-dir $(TARGET_DIR) -- \
	  -C target-feature=+crt-static
	mkdir -p dist
	cp $(TARGET_DIR)/release/quarterply dist/quarterply
	@if ldd dist/quarterply 2>&1 | grep -q '=>'; then echo 'dist/quarterply needs libraries:'; ldd dist/quarterply; exit 1; fi
	env -i dist/quarterply --version

# The documentation site, in target/book/site. MkDocs is installed into a virtual environment below target.
BOOK := $(TARGET_DIR)/book

book: $(BOOK)/venv/installed
	NO_MKDOCS_2_WARNING=1 $(BOOK)/venv/bin/mkdocs build --strict --site-dir $(abspath $(BOOK))/site
	@echo 'open $(BOOK)/site/index.html; its search needs a server: python3 -m http.server --bind 127.0.0.1 --directory $(BOOK)/site'

$(BOOK)/venv/installed: tools/book/requirements.txt
	python3 -m venv $(BOOK)/venv
	$(BOOK)/venv/bin/pip install --quiet --disable-pip-version-check -r tools/book/requirements.txt
	touch $@

clean:
	$(CARGO) clean --target-dir $(TARGET_DIR)
	rm -f $(OUTPUT)
