//go:build !race

// Of what a browser does the race detector sees nothing; its tests take long.

package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	protocol "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the one browser of this package's tests.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop []context.CancelFunc
	why  string // there is none
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(chromium.stop) - 1; i >= 0; i-- {
		chromium.stop[i]()
	}
	os.Exit(code)
}

func startChromium() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		chromium.why = "no Chromium is installed (apt-get install chromium), so the page is not tried in a browser"
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1200, 900))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(ctx)
	chromium.ctx, chromium.stop = ctx, []context.CancelFunc{stop, end}
	if err := chromedp.Do(ctx); err != nil {
		chromium.why = fmt.Sprintf("%s does not start: %v", path, err)
	}
}

// tab is one page in the browser, and what went wrong in it.
type tab struct {
	testing.TB
	ctx context.Context

	mu    sync.Mutex
	wrong []string // errors, dialogs, and requests for more than the page itself
	file  string
}

// newTab opens an empty tab; without a browser the test is skipped.
func newTab(t *testing.T) *tab {
	t.Helper()
	chromium.once.Do(startChromium)
	if chromium.why != "" {
		t.Skip(chromium.why)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx)
	t.Cleanup(cancel)
	ctx, late := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(late)
	b := &tab{TB: t, ctx: ctx}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.note))
	call(b, network.Enable, network.EnableParams{})
	return b
}

// call sends one command of the DevTools protocol.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) R {
	b.Helper()
	r, err := chromedp.Call(b.ctx, cmd, params)
	b.must(err)
	return r
}

func (b *tab) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// note keeps what a quiet page does not do.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.wrong = append(b.wrong, fmt.Sprintf("console: %v", e.Type))
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, "log: "+e.Entry.Text)
	case *protocol.EventJavascriptDialogOpening:
		b.wrong = append(b.wrong, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		if e.Request.URL != b.file {
			b.wrong = append(b.wrong, "request: "+e.Request.URL)
		}
	}
}

// quiet fails the test when anything went wrong so far.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range b.wrong {
		b.Error(what)
	}
	b.wrong = nil
}

// open writes p as a run directory has it and loads it from there.
func (b *tab) open(p *RunPage) (size int) {
	b.Helper()
	return b.load(func(w io.Writer) error { return writeHTML(w, p) })
}

// load does so with whatever page is written.
func (b *tab) load(write func(io.Writer) error) (size int) {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "run", "report")
	b.must(os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, "index.html")
	f, err := os.Create(path)
	b.must(err)
	b.must(write(f))
	info, err := f.Stat()
	b.must(err)
	b.must(f.Close())
	b.mu.Lock()
	b.file = "file://" + path
	b.mu.Unlock()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.file)))
	return int(info.Size())
}

// js evaluates an expression in the page.
func js[T any](b *tab, format string, args ...any) T {
	b.Helper()
	for i, a := range args {
		if s, ok := a.(string); ok {
			quoted, _ := json.Marshal(s)
			args[i] = string(quoted)
		}
	}
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf(format, args...), chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
	return v
}

// keys presses keys where the focus is.
func (b *tab) keys(keys string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// point moves the mouse to a spot of an element, given as shares of its width
// and height, and returns what the page says there.
func (b *tab) point(selector string, x, y float64) string {
	b.Helper()
	// Scrolling is told a frame later, and takes away what stands at the pointer.
	at := js[[]float64](b, `new Promise((done) => { const e = document.querySelector(%s); e.scrollIntoView({block: "center"}); requestAnimationFrame(() => requestAnimationFrame(() => { const r = e.getBoundingClientRect(); done([r.left + r.width * %g, r.top + r.height * %g]); })); })`, selector, x, y)
	b.move(at[0], at[1])
	return b.tip()
}

func (b *tab) move(x, y float64) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y)))
}

// tip is what the page says beside the pointer, "" when it says nothing.
func (b *tab) tip() string {
	b.Helper()
	s := js[string](b, `(() => { const t = document.querySelector(".tip"); return t.classList.contains("hidden") ? "" : t.innerText; })()`)
	return strings.Join(strings.Fields(s), " ")
}

// media emulates a kind of output and a colour scheme.
func (b *tab) media(kind, scheme string) {
	b.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}
