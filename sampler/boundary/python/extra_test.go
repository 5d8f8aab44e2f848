package python

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestASourceImportsItsModules(t *testing.T) {
	p := pool(t, quick())
	f, err := p.LoadWith(t.Context(), "mine", "import first\ndef grade(a):\n    import third\n    return first.x + third.x + a\n", "grade", 1, Extra{
		Modules: map[string]string{"first": "from second import y\nx = y + 1\n", "second": "y = 1\n", "third": "import first\nx = first.x * 10\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := f.Call(t.Context(), nil, json.RawMessage("0.5")); err != nil || string(got) != "22.5" {
			t.Errorf("%s, %v; want 22.5", got, err)
		}
	}
	if _, err := p.LoadWith(t.Context(), "mine", "import broken\n", "grade", 1, Extra{Modules: map[string]string{"broken": "x = (\n"}}); err == nil || !strings.Contains(err.Error(), "SyntaxError") {
		t.Errorf("a module with a syntax error: %v", err)
	}
}

func TestAnAdapterGivesTheFunction(t *testing.T) {
	p := pool(t, quick())
	const adapter = `
class Unfit(Exception): pass
def adapt(space, options):
    if not hasattr(space, options["name"]): raise Unfit("it has no " + options["name"])
    return lambda x: getattr(space, options["name"])(*x)
`
	load := func(options string) (*Function, error) {
		return p.LoadWith(t.Context(), "mine", "def divide(a, b):\n    return a / b\n", "divide", 1, Extra{Adapter: adapter, Options: json.RawMessage(options)})
	}
	if _, err := load(`{"name":"multiply"}`); err == nil || err.Error() != "load mine: it has no multiply" {
		t.Errorf("what the adapter refuses: %v", err)
	}
	f, err := load(`{"name":"divide"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Call(t.Context(), nil, json.RawMessage("[1, 2]")); err != nil || string(got) != "0.5" {
		t.Errorf("%s, %v; want 0.5", got, err)
	}
	if _, err := f.Call(t.Context(), nil, json.RawMessage("[1, 0]")); err == nil || !strings.Contains(err.Error(), "ZeroDivisionError: division by zero (line 2, in divide: return a / b)") {
		t.Errorf("an exception is placed in the source, not in the adapter: %v", err)
	}
}
