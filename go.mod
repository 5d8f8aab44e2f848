module gonogo

go 1.26.0

require (
	codeberg.org/go-pdf/fpdf v0.12.0 // report.pdf; gonum/plot brings it already
	github.com/andybalholm/brotli v1.3.0 // how much a Brotli page of imported Parquet holds; parquet-go brings it already
	github.com/chromedp/cdproto v0.160.1 // test: what chromedp says to the browser
	github.com/chromedp/chromedp v0.23.0 // test: the page in a real browser
	github.com/goccy/go-yaml v1.19.2 // gonogo.yaml with line and column of every mistake
	github.com/google/go-cmp v0.7.0 // test: differences a person can read
	github.com/google/jsonschema-go v0.4.3 // the schema of gonogo.yaml from its structs; the MCP SDK brings it already
	github.com/klauspost/compress v1.20.4 // compressed data files and logs, .eval archives, pages of Parquet; parquet-go brings it already
	github.com/modelcontextprotocol/go-sdk v1.8.0 // the official SDK for MCP servers
	github.com/nats-io/jwt/v2 v2.8.3 // test: credentials that run out; nats-server brings it already
	github.com/nats-io/nats-server/v2 v2.15.3 // --queue embedded: JetStream inside this process
	github.com/nats-io/nats.go v1.55.0 // the official client of NATS JetStream, where workers on many machines get their jobs
	github.com/nats-io/nkeys v0.4.17 // test: their keys; nats.go brings it already
	github.com/nats-io/nuid v1.0.1 // ids of workers and planners; nats.go brings it already
	github.com/openai/openai-go/v3 v3.99.0 // the official SDK for model endpoints
	github.com/parquet-go/parquet-go v0.32.0 // rollouts.parquet, for pandas and DuckDB
	github.com/rivo/uniseg v0.4.7 // where lines of report.pdf may break, by UAX #14; mpb brings it already
	github.com/rogpeppe/go-internal v1.16.0 // test: testscript, sessions of the command line
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // the parameters of tools in rows, and gonogo.yaml against its schema
	github.com/urfave/cli/v2 v2.27.7 // commands and flags
	github.com/vbauerster/mpb/v8 v8.16.2 // the progress bar on a terminal
	go.uber.org/goleak v1.3.0 // test: no goroutine outlives a test
	golang.org/x/image v0.48.0 // fonts of the machine for report.pdf; gonum/plot brings it already
	golang.org/x/sync v0.25.0 // errgroup: whoever starts a goroutine waits for it
	golang.org/x/term v0.48.0 // is it a terminal, and how wide
	golang.org/x/text v0.44.0 // Unicode normal form of prompts that are compared; jsonschema brings it already
	golang.org/x/time v0.16.0 // rate: rate_limit of endpoint graders
	gonum.org/v1/gonum v0.17.0 // distributions, quantiles, optimisation
	gonum.org/v1/plot v0.17.0 // the charts
	pgregory.net/rapid v1.3.0 // test: properties
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/acarl005/stripansi v0.0.0-20180116102854-5a71ef0e047d // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/antithesishq/antithesis-sdk-go v0.9.0-default-no-op // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-runewidth v0.0.30 // indirect
	github.com/minio/highwayhash v1.0.4 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/vbauerster/cupwriter v0.0.5 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/protobuf v1.34.2 // indirect
)
