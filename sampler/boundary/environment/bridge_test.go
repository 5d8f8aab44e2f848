package environment

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// files writes files into a folder of its own and returns it.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// python runs a program with a folder of modules and standard input that ends.
func python(t *testing.T, site, program, input string) string {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, "-B", "-c", program)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+site)
	cmd.Stdin = strings.NewReader(input)
	out, _ := cmd.Output() // the exit code does not matter
	if ctx.Err() != nil {
		t.Error("the process does not end")
	}
	return strings.TrimSpace(string(out))
}

func TestSourcesOfAnEnvironment(t *testing.T) {
	of := func(texts map[string]string) string {
		return python(t, files(t, texts), serveSource+"\nimport shop.app\nprint(sources('shop.app'))\n", "")
	}
	shop := map[string]string{"shop/__init__.py": "", "shop/app.py": "", "shop/price.py": "REWARD = 0.25"}
	was := of(shop)
	if !strings.HasPrefix(was, ", sources ") || of(shop) != was {
		t.Errorf("sources %q, then %q: want the same hash", was, of(shop))
	}
	shop["shop/.venv/other.py"], shop["notes.py"] = "x", "y"
	if now := of(shop); now != was {
		t.Errorf("files that are not of the package change %q to %q", was, now)
	}
	shop["shop/price.py"] = "REWARD = 0.5"
	if now := of(shop); now == was {
		t.Errorf("another reward has the same sources %q", now)
	}
}

// A bridge whose caller was killed while it starts does not go on.
func TestCallerEndsDuringTheStart(t *testing.T) {
	site := files(t, map[string]string{
		"openenv-0.10.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: openenv\nVersion: 0.10.0\n",
		"openenv/core/generic_client.py":    "import time\ntime.sleep(600)\n",
	})
	if out := python(t, site, program(), `{"kind":"openenv","name":"http://127.0.0.1:1","splits":{}}`+"\n"); out != "" {
		t.Errorf("it wrote %q", out)
	}
}

// A caller that is killed cannot remove the folder of the bridge.
func TestABridgeRemovesItsFolder(t *testing.T) {
	home := files(t, map[string]string{"gonogo-environment-1/bridge.py": serveSource + "\nforget()\n", "own/bridge.py": serveSource + "\nforget()\n"})
	for folder, kept := range map[string]bool{"gonogo-environment-1": false, "own": true} {
		path := filepath.Join(home, folder)
		python(t, home, "import runpy, sys\nsys.argv = ["+strconv.Quote(filepath.Join(path, "bridge.py"))+"]\nrunpy.run_path(sys.argv[0])", "")
		if _, err := os.Stat(path); (err == nil) != kept {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

// A library that keeps a client for each address and key gets as few of them as rollouts run at once, and
// each request has the key of its rollout.
func TestRelayOfTheModel(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, part := range []string{r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Own"), string(body)} {
			fmt.Fprintln(w, part)
			w.(http.Flusher).Flush() // as a stream
		}
	}))
	defer model.Close()
	program := serveSource + fmt.Sprintf(`
def ask(place, text, headers={"Authorization": "Bearer unused", "X-Own": "kept"}):
    request = urllib.request.Request(place[0] + "/chat/completions", text.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return " ".join(answer.read().decode().split("\n"))
    except urllib.error.HTTPError as error:
        return "%%d" %% error.code

async def run():
    relay, threads = Relay(), asyncio.get_running_loop().run_in_executor
    await relay.start()
    say = lambda *a: threads(None, ask, *a)
    model = lambda key: {"base_url": %q, "api_key": key}
    with relay.address(model("one")) as first, relay.address(model("two")) as second:
        print(first[0] != second[0], await asyncio.gather(say(first, "a"), say(second, "b", {"x-api-key": "unused", "X-Own": "kept"})))
        print(await say([first[0].replace("/v1", "0/v1")], "c"))
    print(await say(first, "late"))
    with relay.address(model("three")) as third, relay.address(model("four")) as fourth:
        print({third[0], fourth[0]} == {first[0], second[0]}, await say(third, "d"), third[1])
    try:
        with relay.address(model("five")) as fifth:
            raise ValueError
    except ValueError:
        pass
    with relay.address(model("six")) as sixth, relay.address(model("seven")) as seventh:
        print(fifth[0] in (sixth[0], seventh[0]))
    with relay.address({"base_url": "http://127.0.0.1:1/v1", "api_key": "k"}) as closed:
        print(await say(closed, "e"), len(closed[1]), closed[1][0].partition(":")[0])

asyncio.run(run())
`, model.URL+"/v1")
	want := strings.Join([]string{
		"True ['/v1/chat/completions Bearer one kept a ', '/v1/chat/completions Bearer two kept b ']", "401", "401",
		"True /v1/chat/completions Bearer three kept d  []", "False", "502 1 the model cannot be reached",
	}, "\n")
	got := python(t, t.TempDir(), program, "")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
