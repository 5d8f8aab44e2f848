package peers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gonogo/sampler/rollout"
)

// What gonogo exports is shown by Inspect's own viewer in a browser: the samples of the
// log, and of one of them the conversation.
func TestInspectShowsOurExport(t *testing.T) {
	p := meet(t, "inspect")
	dir := t.TempDir()
	run, logs, site := filepath.Join(dir, "run"), filepath.Join(dir, "logs"), filepath.Join(dir, "site")
	p.gonogo(0, "demo", "--world", "healthy", "-o", run, "--seed", "7", "--set", "report.formats=[json]")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	p.gonogo(0, "export", run, "--format", "inspect", "--split", "train", "-o", filepath.Join(logs, "train.eval"))
	p.output(p.command("inspect", "view", "bundle", "--log-dir", logs, "--output-dir", site))
	server := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(server.Close)
	see := browser(t)
	see(server.URL+"/#/logs/train.eval/samples", `document.body.innerText.includes("q-001")`)
	plain := regexp.MustCompile(`^[\w .,-]{4,}$`) // Markdown shows it as it is
	for _, r := range p.records(run) {
		if r.Split == rollout.Train && len(r.Calls) > 0 && plain.MatchString(r.Answer) {
			see(fmt.Sprintf("%s/#/logs/train.eval/samples/sample/%s/%d/messages", server.URL, r.Item, r.Sample+1),
				fmt.Sprintf(`document.body.innerText.includes(%q) && document.body.innerText.includes(%q)`, r.Answer, r.Calls[0].Name))
			return
		}
	}
	t.Fatal("no rollout has an answer to look for")
}

// browser returns what opens a page and waits until an expression is true of it.
func browser(t *testing.T) func(url, until string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed")
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // the browser lives as long as this context
		t.Fatal(err)
	}
	return func(url, until string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		err := chromedp.Do(ctx, chromedp.Navigate("about:blank"))
		if err == nil {
			err = chromedp.Do(ctx, chromedp.Navigate(url))
		}
		for shown := false; err == nil && !shown; time.Sleep(200 * time.Millisecond) {
			shown, err = chromedp.Run(ctx, chromedp.Evaluate[bool](until))
		}
		if err != nil {
			t.Fatalf("%s does not show what it should (%s): %v", url, until, err)
		}
	}
}
