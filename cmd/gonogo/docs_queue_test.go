package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/queue"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"
)

// at are the values under a path of keys and, for lists, all of their items.
func at(n any, path ...string) []any {
	if len(path) == 0 {
		return []any{n}
	}
	var out []any
	switch n := n.(type) {
	case []any:
		for _, item := range n {
			out = append(out, at(item, path...)...)
		}
	case map[string]any:
		if value, ok := n[path[0]]; ok {
			out = at(value, path[1:]...)
		}
	}
	return out
}

func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, texts(list)...)
			continue
		}
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// The examples of docs/queue hold what Docker and Kubernetes ask for, start what
// there is, and bring each process what it reads.
func TestDocsDeployWhatThereIs(t *testing.T) {
	read := func(name string) []any {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", "queue", name))
		if err != nil {
			t.Fatal(err)
		}
		var docs []any
		for _, text := range strings.Split(string(b), "\n---\n") {
			var root any
			if err := yaml.Unmarshal([]byte(text), &root); err != nil {
				t.Fatal(err)
			}
			docs = append(docs, root)
		}
		return docs
	}
	compose := read("compose.yaml")[0]
	for _, name := range []string{"nats", "planner", "worker"} {
		service := at(compose, "services", name)
		if len(service) != 1 || len(at(service[0], "image")) != 1 || len(at(service[0], "environment", queue.TokenEnv)) != 1 || len(at(service[0], "command")) != 1 {
			t.Errorf("compose: %s lacks image, command or token", name)
		}
		if name != "nats" {
			typed(t, texts(at(service[0], "command")))
		}
	}
	if len(at(compose, "configs", "nats", "content")) != 1 {
		t.Error("compose: the server has no configuration")
	}
	kinds := map[string]int{}
	for _, doc := range read("kubernetes.yaml") {
		kind := strings.Join(texts(at(doc, "kind")), "")
		if kinds[kind]++; len(at(doc, "apiVersion")) != 1 || len(at(doc, "metadata", "name")) != 1 {
			t.Errorf("kubernetes: a %s lacks apiVersion or name", kind)
		}
		if kind == "Job" {
			container := at(doc, "spec", "template", "spec", "containers")
			if len(container) == 0 || len(at(doc, "spec", "template", "spec", "restartPolicy")) != 1 || len(at(container[0], "image")) != 1 {
				t.Fatal("kubernetes: a Job lacks containers, image or restartPolicy")
			}
			typed(t, texts(at(container[0], "args")))
		}
		mounts, volumes := texts(at(doc, "spec", "template", "spec", "containers", "volumeMounts", "name")), texts(at(doc, "spec", "template", "spec", "volumes", "name"))
		for _, m := range mounts {
			if !slices.Contains(append(volumes, texts(at(doc, "spec", "volumeClaimTemplates", "metadata", "name"))...), m) {
				t.Errorf("kubernetes: a %s mounts %s, which is no volume", kind, m)
			}
		}
	}
	if kinds["Job"] != 2 || kinds["StatefulSet"] != 1 || kinds["Service"] != 1 {
		t.Errorf("kubernetes: there are %v", kinds)
	}
}

// typed holds that a command takes the flags that it is started with.
func typed(t *testing.T, argv []string) {
	t.Helper()
	i := slices.IndexFunc(commands(), func(c *cli.Command) bool { return c.Name == argv[0] })
	if i < 0 {
		t.Fatalf("there is no command %s", argv[0])
	}
	for _, word := range argv[1:] {
		flag, is := strings.CutPrefix(word, "-")
		if is && !slices.ContainsFunc(commands()[i].Flags, func(f cli.Flag) bool {
			return slices.Contains(f.Names(), strings.TrimPrefix(flag, "-"))
		}) {
			t.Errorf("%s takes no %s", argv[0], word)
		}
	}
}
