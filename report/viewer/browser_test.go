//go:build !race

// Of what a browser does the race detector sees nothing; its tests take long.

package viewer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	protocol "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"gonogo/sampler/rollout"
)

// tab is one page in a browser, and what went wrong in it.
type tab struct {
	*served
	ctx context.Context

	mu    sync.Mutex
	wrong []string // errors, dialogs, and requests to elsewhere
}

// newTab opens an empty tab; without a browser the test is skipped, as those of
// the report are.
func newTab(t *testing.T, s *served) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed (apt-get install chromium), so the page is not tried in a browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1280, 800))
	ctx, late := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(late)
	ctx, stop := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &tab{served: s, ctx: ctx}
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.note))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	b.must(err)
	return b
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
		if !strings.HasPrefix(e.Request.URL, b.base+"/") && e.Request.URL != "data:," {
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

// open goes to the page as a person does who has its address.
func (b *tab) open(hash string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.Navigate("about:blank")))
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.base+"/#token="+b.token+strings.Replace(hash, "#", "&", 1))))
	b.until("the page is there", `document.querySelector(".pane, .said") !== null`)
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

// until waits for what comes of an answer of the server.
func (b *tab) until(what, format string, args ...any) {
	b.Helper()
	for end := time.Now().Add(2 * time.Minute); !js[bool](b, format, args...); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("not so: %s\n%s", what, js[string](b, `document.body.innerText.slice(0, 3000) + location.hash`))
		}
	}
}

// keys presses keys where the focus is.
func (b *tab) keys(keys string) {
	b.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// titles is what the panes show, such as "Sample 0|Sample 2".
const titles = `[...document.querySelectorAll(".pane > h3")].map((e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("")).join("|")`

// press presses a key that the page takes for itself: Chromium types nothing then,
// and DevTools would.
func (b *tab) press(key string) {
	b.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key})
		b.must(err)
	}
}

const itemName = `document.querySelector("main h2")?.textContent`

func TestLongAPersonReadsSearchesAndLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	s := serve(t, Options{Rater: "ann"}, lines)
	b := newTab(t, s)
	b.open("")
	b.until("the best stands beside the worst", `%s === "q1" && `+titles+` === "Sample 0|Sample 1"`, raw(itemName))
	if got := js[string](b, `location.href`); strings.Contains(got, "token") || !strings.Contains(got, "item=q1") {
		b.Errorf("the address is %s", got)
	}
	b.must(chromedp.Do(b.ctx, chromedp.Reload()))
	b.until("a reload still has the token", `%s === "q1"`, raw(itemName))
	if got := js[string](b, `document.cookie`); got != "" {
		b.Errorf("the page set a cookie: %s", got)
	}
	if only := js[string](b, `[...document.querySelectorAll(".sequence .only")].map((e) => e.getAttribute("aria-label")).join("|")`); only != "search, call 1, only here|cat, call 1, only here, error" {
		b.Errorf("the difference of the calls is %q", only)
	}
	if text := js[string](b, `document.querySelector("main").innerText`); !strings.Contains(text, hostile) || !strings.Contains(text, "Let me LOOK.") || !strings.Contains(text, "found it") || !strings.Contains(text, "How many <b>?") {
		b.Errorf("the page says %q", text)
	}

	b.press("n")
	b.until("n shows the next rollout", titles+` === "Sample 1|Sample 1"`)
	b.press("o")
	b.press("n")
	b.until("o and n go on in the other pane", titles+` === "Sample 1|Sample 2"`)
	b.until("a missing grade is no zero", `document.querySelectorAll(".reward")[1].textContent === "–"`)
	b.press("b")
	b.until("b is the beginning", titles+` === "Sample 0|Sample 1"`)
	b.press("s")
	b.until("s shows one pane", titles+` === "Sample 0"`)
	b.press("s")
	b.press("j")
	b.until("j is the next item", `%s === "q2"`, raw(itemName))
	b.press("k")
	b.until("k is the one before", `%s === "q1"`, raw(itemName))
	b.until("its best is back", titles+` === "Sample 0|Sample 1"`)

	b.press("3")
	b.until("3 marks a hack", `document.querySelector('.pane [data-mark=hack]').getAttribute("aria-pressed") === "true"`)
	b.press("e")
	b.keys("greps the")
	js[bool](b, `(() => { window.was = document.activeElement; document.querySelector('.pane [data-mark=hack]').click(); return true; })()`)
	b.until("the page is drawn again while a note is being written", `!window.was.isConnected`)
	b.keys(" answer" + kb.Enter)
	b.until("the list has the mark", `document.querySelector("tr[data-key='train/q1'] .m-hack") !== null`)
	js[any](b, `void (URL.createObjectURL = (blob) => { blob.text().then((t) => { window.saved = t; }); return "#"; })`)
	b.until("the note is kept, and downloaded", `(document.getElementById("labels").click(), Boolean(window.saved?.includes("greps the answer")))`)
	run, err := rollout.Open(s.dir)
	b.must(err)
	labels, err := run.Labels()
	if err != nil || len(labels) != 1 || labels[0].Mark != "hack" || labels[0].Note != "greps the answer" || labels[0].Rater != "ann" || *labels[0].Sample != 0 {
		b.Errorf("labels are %+v, %v", labels, err)
	}

	b.press("/")
	b.keys("found IT" + kb.Enter)
	b.until("a hit is listed", `document.querySelectorAll(".hits li").length === 1 && location.hash.includes("q=found+IT")`)
	b.press("j")
	b.until("j opens it and marks what was found", `document.querySelector(".pane mark")?.textContent === "found it"`)
	b.press("Escape")
	b.until("Escape leads back to the items", `document.querySelectorAll("tr[data-key]").length === 3`)

	js[bool](b, `(() => { const f = document.getElementById("filter"); f.querySelector("details").open = true; f.elements.outcome.value = "no_answer"; f.elements.outcome.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`)
	b.until("the filter holds", `document.querySelectorAll("tr[data-key]").length === 1 && location.hash.includes("outcome=no_answer")`)
	b.press("j")
	b.until("the item that it wants", `%s === "q2"`, raw(itemName))
	hash := js[string](b, `location.hash`)
	b.quiet()

	b.open(hash) // as another person who was sent the address
	b.until("the address shows the same", `%s === "q2" && document.querySelectorAll("tr[data-key]").length === 1 && document.getElementById("filter").elements.outcome.value === "no_answer"`, raw(itemName))
	b.press("?")
	b.until("? tells the keys", `document.getElementById("keys").open`)
	b.quiet()
}

// raw is an expression that js does not quote.
type raw string

func TestLongTwoRunsStandBesideEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	s := serve(t, Options{Rater: "ann"}, lines, `{"item":"q1","sample":0,"reward":0.25,"answer":"new one"}`+"\n")
	b := newTab(t, s)
	b.open("")
	b.until("base and new", titles+` === "Sample 0, base|Sample 0, new"`)
	text := js[string](b, `document.querySelector("main").innerText`)
	for _, want := range []string{"Difference of the means −0.5", "mean 0.75", "mean 0.25", "new one"} {
		if !strings.Contains(text, want) {
			b.Errorf("it does not say %q: %s", want, text)
		}
	}
	js[bool](b, `(() => { const where = document.getElementById("where"); where.value = "1"; return !where.hidden; })()`)
	b.press("/")
	b.keys("new one" + kb.Enter)
	b.until("it is found", `document.querySelectorAll(".hits li").length === 1`)
	b.press("j")
	b.until("a hit of the new run opens there", titles+` === "Sample 0, new" && document.querySelector(".pane mark")?.textContent === "new one"`)
	b.quiet()
}

// TestLongArgumentsStandAsTheyWereWritten lays out JSON that JavaScript would read
// otherwise: large numbers, keys that come twice, a decimal point.
func TestLongArgumentsStandAsTheyWereWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t, serve(t, Options{}, lines))
	b.open("")
	long := strings.Repeat("x", 100)
	for source, want := range map[string]string{
		`{"a":12345678901234567890,"a":1.0,"b":[],"c":{ },"s":"{\"x,y: [\\"}`:         `{"a":12345678901234567890,"a":1.0,"b":[],"c":{ },"s":"{\"x,y: [\\"}`,
		`{"a":12345678901234567890,"a":1.0,"b":[],"c":{ },"s":"{\"x,` + long + `\\"}`: "{\n  \"a\": 12345678901234567890,\n  \"a\": 1.0,\n  \"b\": [],\n  \"c\": {},\n  \"s\": \"{\\\"x," + long + "\\\\\"\n}",
		`not {"json": ` + long:     `not {"json": ` + long,
		`"` + long + `"`:           `"` + long + `"`,
		`[[1,[2,"` + long + `"]]]`: "[\n  [\n    1,\n    [\n      2,\n      \"" + long + "\"\n    ]\n  ]\n]",
	} {
		if got := js[string](b, `import("/view/dom.js").then((m) => m.pretty(%s))`, source); got != want {
			b.Errorf("%s is laid out as\n%s\nwant\n%s", source, got, want)
		}
	}
	b.quiet()
}

// violation is what axe-core has against a page.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML string }
}

// TestLongNobodyIsShutOut has axe-core look at items, rollouts, hits and keys, in
// light and dark: nothing serious and nothing critical.
func TestLongNobodyIsShutOut(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	path := os.Getenv("GONOGO_AXE")
	if path == "" {
		path = "../../.ci/node_modules/axe-core/axe.min.js"
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Skip("axe-core is not there: npm ci --prefix .ci brings it, or GONOGO_AXE names its axe.min.js")
	}
	s := serve(t, Options{Rater: "ann"}, lines)
	b := newTab(t, s)
	_, err = chromedp.Call(b.ctx, protocol.SetBypassCSP, protocol.SetBypassCSPParams{Enabled: true})
	b.must(err)
	for _, scheme := range []string{"light", "dark"} {
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.must(err)
		b.open("")
		js[bool](b, "%s", raw(string(axe)+"; true"))
		js[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) ?? true`)
		b.press("3")
		b.until("a mark is shown", `document.querySelector("tr .m-hack") !== null`)
		b.lookAt(scheme + ", items")
		b.press("/")
		b.keys("o" + kb.Enter)
		b.until("hits are listed", `document.querySelectorAll(".hits li").length > 1`)
		b.lookAt(scheme + ", hits")
		b.press("?")
		b.lookAt(scheme + ", keys")
	}
	b.quiet()
}

func (b *tab) lookAt(what string) {
	b.Helper()
	found := js[[]violation](b, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => ({html: n.html.slice(0, 200)}))})))`)
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.Errorf("%s: %s (%s): %s: %d times, such as %s", what, v.ID, v.Impact, v.Help, len(v.Nodes), v.Nodes[0].HTML)
		} else {
			b.Logf("%s: %s (%s): %s: %s", what, v.ID, v.Impact, v.Help, v.Nodes[0].HTML)
		}
	}
}
