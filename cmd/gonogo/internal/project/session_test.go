package project

import (
	"os"
	"path/filepath"
	"testing"

	"gonogo/cmd/gonogo/internal/config"
)

// A session's hooks are URLs like the tools', and were not mapped.
func TestHooksOfSessionsAreMapped(t *testing.T) {
	for _, c := range []struct{ what, hook, want string }{
		{"mapped by its beginning", "https://env.example.com/start", "http://127.0.0.1:1/start"},
		{"mapped by nothing", "https://other.example.com/start", "https://other.example.com/start"},
		{"not behind what a start answers", "https://tools.example.com/start", "https://tools.example.com/start"},
		{"the stop of one, by its id", "https://env.example.com/stop/{{session.id}}", "http://127.0.0.1:1/stop/{{session.id}}"},
		{"a command", "sh start.sh", "sh start.sh"},
	} {
		_, dir := tinyWorld(t)
		cfg, err := config.Load(filepath.Join(dir, "gonogo.yaml"), os.LookupEnv,
			"sampling.address_map={https://env.example.com: http://127.0.0.1:1, https://tools.example.com: '{{session.tools_url}}'}")
		if err != nil {
			t.Fatal(err)
		}
		if got := NewUnwired(cfg).Session.hook(c.hook); got != c.want {
			t.Errorf("%s: %s is called at %s, want %s", c.what, c.hook, got, c.want)
		}
	}
}
