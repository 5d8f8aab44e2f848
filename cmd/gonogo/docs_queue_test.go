package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// at is the node under a path of keys and, for lists, all of its items.
func (n *yamlNode) at(path ...string) []*yamlNode {
	if len(path) == 0 {
		return []*yamlNode{n}
	}
	var out []*yamlNode
	for _, item := range n.items {
		out = append(out, item.at(path...)...)
	}
	for _, f := range n.fields {
		if f.key == path[0] {
			out = append(out, f.value.at(path[1:]...)...)
		}
	}
	return out
}

func texts(nodes []*yamlNode) []string {
	var out []string
	for _, n := range nodes {
		if len(n.items) == 0 {
			out = append(out, n.text)
		}
		out = append(out, texts(n.items)...)
	}
	return out
}

// The examples of docs/queue hold what Docker and Kubernetes ask for, start what
// there is, and bring each process what it reads.
func TestDocsDeployWhatThereIs(t *testing.T) {
	read := func(name string) []*yamlNode {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", "queue", name))
		if err != nil {
			t.Fatal(err)
		}
		var docs []*yamlNode
		for _, text := range strings.Split(string(b), "\n---\n") {
			root, err := parseYAML(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, root)
		}
		return docs
	}
	compose := read("compose.yaml")[0]
	for _, name := range []string{"nats", "planner", "worker"} {
		service := compose.at("services", name)
		if len(service) != 1 || len(service[0].at("image")) != 1 || len(service[0].at("environment", queueTokenEnv)) != 1 || len(service[0].at("command")) != 1 {
			t.Errorf("compose: %s lacks image, command or token", name)
		}
		if name != "nats" {
			typed(t, texts(service[0].at("command")))
		}
	}
	if len(compose.at("configs", "nats", "content")) != 1 {
		t.Error("compose: the server has no configuration")
	}
	kinds := map[string]int{}
	for _, doc := range read("kubernetes.yaml") {
		kind := strings.Join(texts(doc.at("kind")), "")
		if kinds[kind]++; len(doc.at("apiVersion")) != 1 || len(doc.at("metadata", "name")) != 1 {
			t.Errorf("kubernetes: a %s lacks apiVersion or name", kind)
		}
		if kind == "Job" {
			container := doc.at("spec", "template", "spec", "containers")
			if len(container) == 0 || len(doc.at("spec", "template", "spec", "restartPolicy")) != 1 || len(container[0].at("image")) != 1 {
				t.Fatal("kubernetes: a Job lacks containers, image or restartPolicy")
			}
			typed(t, texts(container[0].at("args")))
		}
		mounts, volumes := texts(doc.at("spec", "template", "spec", "containers", "volumeMounts", "name")), texts(doc.at("spec", "template", "spec", "volumes", "name"))
		for _, m := range mounts {
			if !slices.Contains(append(volumes, texts(doc.at("spec", "volumeClaimTemplates", "metadata", "name"))...), m) {
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
