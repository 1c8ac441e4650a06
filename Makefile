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

# One file that starts on any Linux of this processor, without Rust and without libraries.
dist:
	RUSTFLAGS='-C target-feature=+crt-static' $(CARGO) build --release --locked --package quarterply \
	  --target x86_64-unknown-linux-gnu --target-dir $(TARGET_DIR)
	mkdir -p dist
	cp $(TARGET_DIR)/x86_64-unknown-linux-gnu/release/quarterply dist/quarterply
	@if ldd dist/quarterply 2>&1 | grep -q '=>'; then echo 'dist/quarterply needs libraries:'; ldd dist/quarterply; exit 1; fi
	dist/quarterply --version

clean:
	$(CARGO) clean --target-dir $(TARGET_DIR)
	rm -f $(OUTPUT)
