# gonogo: should this training run start?

GO      ?= go
BIN     := bin/gonogo
COMMA   := ,
TOOL    := $(GO) tool -modfile=.ci/tools.mod
WORLD   ?= healthy
RUN     ?= runs/demo-$(WORLD)
REAL    ?= runs/real
INTO    ?= dist
FUZZ    ?= 20s
RACE    ?= ./...
LONG    ?= ./...
# make lint vets, and a test binary needs no symbols for a debugger. GOGC is for the compiler, not for the tests; with
# -exec, which could reset it, go caches no results.
QUICK   := -vet=off -ldflags=-w -toolexec 'env GOGC=400'
LAB     := fixtures/backtest/lab
# What waits for others, or runs once, needs no inlining, which makes the program smaller.
WAIT    := github.com/modelcontextprotocol/... google.golang.org/protobuf/... github.com/openai/openai-go/v3 github.com/openai/openai-go/v3/responses github.com/goccy/go-yaml/... github.com/urfave/cli/v2 github.com/vbauerster/mpb/... github.com/nats-io/nats-server/... github.com/nats-io/nats.go/... github.com/nats-io/jwt/... github.com/tidwall/... github.com/ajstarks/... gonum.org/v1/plot/... codeberg.org/go-latex/... github.com/segmentio/encoding/... github.com/google/jsonschema-go/... github.com/santhosh-tekuri/jsonschema/... codeberg.org/go-pdf/fpdf/... gonogo/cmd/... gonogo/fixtures/... gonogo/report gonogo/report/chart gonogo/report/recipe gonogo/report/block gonogo/report/viewer gonogo/report/internal/... gonogo/analysis/gate gonogo/analysis/history gonogo/analysis/curate gonogo/analysis/pilot gonogo/sampler/audit gonogo/sampler/queue
# Whatever is compiled here is compiled the same way, so that a release, the demo, the tests and the linters share it.
# urfave_cli_no_docs leaves out cli's writer of man pages, which links a Markdown parser.
FLAGS   := -trimpath -tags=urfave_cli_no_docs $(WAIT:%=-gcflags=%=-l)
export GOFLAGS     := $(strip $(filter-out $(FLAGS),$(GOFLAGS)) $(FLAGS))
export CGO_ENABLED ?= 0
export GONOGO_TESTDATA

.PHONY: help build demo release wheels publish test long race worlds fleet peers peers-latest real deep lint bench calibrate backtest backtest-train fuzz golden flags clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

# With more memory the compiler takes a quarter less time; see QUICK.
build release lint backtest: export GOGC := 400

build: ## build bin/gonogo
	CGO_ENABLED=0 $(GO) build $(if $(TAGS),-tags=urfave_cli_no_docs$(COMMA)$(TAGS)) -ldflags='-s -w' -o $(BIN) ./cmd/gonogo

# A first build need not wait for the server of a queue.
demo: TAGS := noserver
demo: build ## run the main job on the built-in world and write a report (WORLD=healthy, RUN=runs/demo-healthy)
	@$(BIN) demo --world $(WORLD) -o $(RUN) || { code=$$?; echo "(exit code $$code)"; [ $$code -eq 3 ] || [ $$code -eq 4 ]; }

release: ## build the archives of a release in dist/, with SHA256SUMS and an SBOM each (SYSTEMS=linux-amd64 for one of them)
	.ci/release

wheels: release ## make Python wheels and npm packages of the archives, in dist/ (SYSTEMS=linux-amd64 for one of them)
	.ci/wheel/build

publish: ## write the module under a path of its own, as tree and for GOPROXY, in dist/ (MODULE=example.org/you/gonogo VERSION=v0.1.0)
	@$(GO) build -C .ci/publish -o ../../bin/publish .
	@bin/publish "$(MODULE)" "$(VERSION)" "$(INTO)"

# Many packages spend most of their time waiting, so twice as many run at once as there are processors.
test: ## run the quick tests; make lint vets
	$(GO) test -short $(QUICK) -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) -timeout 20m ./...

long: ## run the tests that make test leaves out: long sessions, the commands of the pages, kills, chaos, small calibrations, templates, the browser (LONG=./... or some packages)
	$(GO) test $(QUICK) -timeout 30m -run '^TestLong' $$(grep -l '^func TestLong' $$($(GO) list -f '{{.Dir}}/*_test.go' $(LONG)) 2>/dev/null | xargs -n1 dirname | sort -u)

race: export CGO_ENABLED := 1
race: ## run the tests but the long worlds under the race detector (RACE=./... or some packages)
	$(GO) test -race $(QUICK) -skip '^TestLongWorld' -parallel 3 -timeout 45m $(RACE)

worlds: ## run every task from the field and every world of one gate, and hold it to its verdict (SEED=2 for another seed)
	GONOGO_DEEP=1 $(GO) test -count=1 -run TestDeepKernels ./fixtures/internal/kernels
	GONOGO_DEEP=1 GONOGO_SEED=$(SEED) $(GO) test -count=1 -timeout 60m -run TestDeepOtherWorlds ./cmd/gonogo

fleet: ## run workers of a queue as processes: how the rate grows with them, what a planner of a million rollouts holds, and a cluster that loses a server
	GONOGO_DEEP=1 $(GO) test -count=1 -run 'TestDeepMoreWorkers|TestDeepAMillion' ./cmd/gonogo
	GONOGO_DEEP=1 $(GO) test -count=1 -run TestDeepThreeServers ./sampler/queue

peers: ## try gonogo against the real packages of docs/ecosystem.md at pinned versions (PEERS="inspect trl", GONOGO_PEERS=skip, GONOGO_PEERS_DIR=...)
	.ci/peers/run $(PEERS)

peers-latest: ## the same against their newest versions, and print what broke
	.ci/peers/run --latest $(PEERS)

real: ## run gonogo on a real language model of 135 million parameters, 90 items with 8 samples, and keep the run and its report (REAL=runs/real); see docs/ecosystem.md
	GONOGO_REAL=$(abspath $(REAL)) .ci/peers/run llama

deep: ## run the deep tests: 200 kills of a sampling process, 100 of a queue's, hours of chaos in minutes, every world
	GONOGO_DEEP=1 $(GO) test -count=1 -timeout 2h -run Deep ./...

lint: ## formatting, vet, staticcheck, the examples for CI, Docker and Kubernetes, and dead code
	@files=$$($(TOOL) gofumpt -l cmd analysis sampler report fixtures); \
	if [ -n "$$files" ]; then echo "gofumpt would change:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags noserver ./sampler/queue ./cmd/gonogo/internal/config
	$(TOOL) staticcheck ./...
	$(TOOL) actionlint docs/ci/github.yml
	sed 's|OWNER/gonogo/.github/actions/gonogo@main|./.github/actions/gonogo|' docs/ci/compare.yml | $(TOOL) actionlint -
	$(GO) run -C .ci/manifests . "$(CURDIR)/docs/queue"
	@dead=$$($(TOOL) deadcode -test ./...); \
	if [ -n "$$dead" ]; then echo "dead code:"; echo "$$dead"; exit 1; fi
	@echo "lint: clean"

bench: ## run the benchmarks, and gonogo analyze against DuckDB, polars and pandas on files of 2 GB
	$(GO) test -run '^$$' -bench . -benchmem ./...
	GONOGO_DEEP=1 .ci/peers/run readers

calibrate: ## simulate in full how often intervals cover and verdicts err, and write docs/calibration and the table of docs/statistics.md
	@dir=$$(mktemp -d) && since=$$(date +%s) && code=0; \
	GONOGO_CALIBRATE=1 GONOGO_CALIBRATE_DIR=$$dir $(GO) test -count=1 -timeout 3h -run Calibration ./analysis/... || code=$$?; \
	ls $$dir/*.md >/dev/null && { cat docs/calibration/head.md; \
	  echo "Made on $$(date -u +%F) by $$($(GO) version | cut -d' ' -f3,4) on $$(getconf _NPROCESSORS_ONLN) cores in $$((($$(date +%s) - since + 59) / 60)) minutes."; \
	  cat $$dir/*.section.md; } >docs/calibration/simulations.md && \
	{ printf '\n| simulation | target | figures | seen | verdict |\n|---|---|---|---|---|\n'; cat $$dir/*.targets.md; echo; } >$$dir/table && \
	sed -e "/^<!-- targets -->/r $$dir/table" -e '/^<!-- targets -->/,/^<!-- end -->/{/^<!-- /!d;}' docs/statistics.md >$$dir/page && cp $$dir/page docs/statistics.md; \
	rm -r $$dir; exit $$code

backtest: ## judge the recordings of fixtures/backtest again, compare the verdicts with what the trainings gained, and write docs/backtest.md
	$(GO) run ./fixtures/backtest/judge

backtest-train: build $(LAB)/.venv/installed ## make the trainings of fixtures/backtest that are missing; stop and go on at any time (ONLY=NAME for one of them, SEED=1; MODELS=small or language)
	OMP_NUM_THREADS=1 nice -n 19 $(LAB)/.venv/bin/python $(LAB)/lab.py $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) $(if $(MODELS),--models $(MODELS))

$(LAB)/.venv/installed: $(LAB)/requirements.txt
	python3 -m venv $(LAB)/.venv
	$(LAB)/.venv/bin/pip install --quiet --no-deps -r $<
	touch $@

fuzz: ## fuzz every reader for FUZZ each
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) -fuzzminimizetime 10x $$pkg || exit 1; \
	  done; \
	done

golden: build ## rewrite the golden files, the README's picture, the gallery of charts and the report's pictures; look at them before you commit
	$(GO) test -count=1 ./report/reporttest -update
	$(GO) test -count=1 $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | grep -v reporttest | xargs -n1 dirname | sort -u) -update
	@dir=$$(mktemp -d) && $(BIN) demo -o $$dir/run >/dev/null && .ci/pictures $(BIN) $$dir/run docs/report && cp $$dir/run/report/summary.png docs/summary.png && \
	  GONOGO_GALLERY=$$dir/run/result.json $(GO) test -count=1 -run Gallery ./report/chart -update && rm -r $$dir
	@.ci/worlds $(BIN)

flags:
	@echo "$$GOFLAGS"

clean: ## remove what the targets made
	rm -rf bin dist runs
