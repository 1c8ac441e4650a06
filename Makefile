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

.PHONY: all test check clean

all:
	$(CARGO) build --release --locked --package quarterply --target-dir $(TARGET_DIR)
	cp $(TARGET_DIR)/release/quarterply$(SUFFIX) $(OUTPUT)

test:
	$(CARGO) test --release --workspace

check:
	.ci/run

clean:
	$(CARGO) clean --target-dir $(TARGET_DIR)
	rm -f $(OUTPUT)
