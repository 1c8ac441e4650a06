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

.PHONY: all test check dist clean

all:
	$(CARGO) build --release --locked --package quarterply --target-dir $(TARGET_DIR)
	cp $(TARGET_DIR)/release/quarterply$(SUFFIX) $(OUTPUT)

test:
	$(CARGO) test --release --workspace

check:
	.ci/run

# One file that starts on any Linux of this processor, without Rust and without libraries: the C library is linked into it. Only the
# program itself is compiled for that; everything else is shared with `make`.
dist:
	$(CARGO) rustc --release --locked --package quarterply --bin quarterply --target-dir $(TARGET_DIR) -- \
	  -C target-feature=+crt-static
	mkdir -p dist
	cp $(TARGET_DIR)/release/quarterply dist/quarterply
	@if ldd dist/quarterply 2>&1 | grep -q '=>'; then echo 'dist/quarterply needs libraries:'; ldd dist/quarterply; exit 1; fi
	env -i dist/quarterply --version

clean:
	$(CARGO) clean --target-dir $(TARGET_DIR)
	rm -f $(OUTPUT)
