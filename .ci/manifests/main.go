// Command manifests holds the examples of docs/queue to those who will read them:
// the compose file to compose-go, which Docker Compose reads files with, and the
// Kubernetes manifests to the types of Kubernetes, strictly.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests FOLDER")
		os.Exit(2)
	}
	if err := errors.Join(compose(filepath.Join(os.Args[1], "compose.yaml")),
		kubernetes(filepath.Join(os.Args[1], "kubernetes.yaml"))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compose(path string) error {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithName("gonogo"),
		cli.WithEnv([]string{"GONOGO_QUEUE_TOKEN=t", "OPENAI_API_KEY=k"}), cli.WithConsistency(true))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(project.Services) == 0 {
		return fmt.Errorf("%s: it has no services", path)
	}
	return nil
}

func kubernetes(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decode := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	docs := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(b)))
	n := 0
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if n++; len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		if _, _, err := decode.Decode(doc, nil, nil); err != nil {
			return fmt.Errorf("%s: document %d: %w", path, n, err)
		}
	}
	if n == 0 {
		return fmt.Errorf("%s: it has no documents", path)
	}
	return nil
}
