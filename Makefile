# Builds the release program and puts it here as $(EXE), also for OpenBench. Where llvm-profdata is installed
# (`rustup component add llvm-tools`) it is compiled twice, the second time with a profile of its own bench: about 9 % more nodes per second,
# and the same search. Variables other builds need (CC, CXX, EVALFILE) are accepted and not used.

EXE ?= quarterply
CARGO ?= cargo
TARGET_DIR ?= target

ifeq ($(OS),Windows_NT)
  SUFFIX := .exe
else
  SUFFIX :=
endif

OUTPUT := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all guided plain test check dist wasm web npm wheel release book clean

GUIDED := $(shell tools/release/program --check >/dev/null 2>&1 && echo guided)

all: $(or $(GUIDED),plain)

guided:
	tools/release/program --out $(OUTPUT)

# Compiled once.
plain:
	$(CARGO) build --release --locked --package quarterply --target-dir $(TARGET_DIR)
	cp $(TARGET_DIR)/release/quarterply$(SUFFIX) $(OUTPUT)

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

# The engine as a WebAssembly module, dist/web/quarterply.wasm; the npm package and the Python wheel, in dist.
wasm:
	tools/web/module

# The window as a web site without a server, in dist/web.
web: wasm
	$(CARGO) run --release --locked --package quarterply --target-dir $(TARGET_DIR) -- window site dist/web --overwrite

npm: wasm
	tools/web/npm

wheel: wasm
	tools/web/wheel

# The files of a release for this machine, in dist (docs/releasing.md): the program, packages, the container image, checksums, notes. Older packages
# are removed, so that SHA256SUMS lists those of this version only.
MACHINE := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
RELEASE_TARGET ?= $(subst -linux-gnu,-linux-musl,$(MACHINE))

release:
	tools/release/requirements $(RELEASE_TARGET)
	rm -f dist/quarterply-*.tar.gz dist/quarterply-*.tgz dist/quarterply-*.whl
	tools/web/module
	tools/release/program --target $(RELEASE_TARGET) --features nats --out dist/quarterply
	dist/quarterply$(SUFFIX) window site dist/web --overwrite
	tools/release/archive dist/quarterply$(SUFFIX) $(RELEASE_TARGET)
	tools/release/archive --site
	tools/web/npm
	tools/web/wheel --guided $(RELEASE_TARGET)
	tools/release/notes > dist/notes.md
	cd dist && sha256sum -- *.tar.gz *.tgz *.whl > SHA256SUMS
	tools/release/image dist/quarterply

# The documentation site, in target/book/site. MkDocs is installed into a virtual environment below target.
BOOK := $(TARGET_DIR)/book

book: $(BOOK)/venv/installed
	NO_MKDOCS_2_WARNING=1 $(BOOK)/venv/bin/mkdocs build --strict --site-dir "$(abspath $(BOOK))/site"
	@echo 'open $(BOOK)/site/index.html; its search needs a server: python3 -m http.server --bind 127.0.0.1 --directory $(BOOK)/site'

$(BOOK)/venv/installed: tools/book/requirements.txt
	python3 -m venv $(BOOK)/venv
	$(BOOK)/venv/bin/pip install --quiet --disable-pip-version-check -r tools/book/requirements.txt
	touch $@

clean:
	$(CARGO) clean --target-dir $(TARGET_DIR)
	rm -f $(OUTPUT)
