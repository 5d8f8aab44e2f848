package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/analysis/pilot"
	"gonogo/sampler/rollout/disk"
)

// SHA256 returns the hash of a file. For a folder it hashes a line for each file in it whose name,
// compressed or not, has one of the patterns: its hash, two spaces and its path in the folder, in the
// order of the paths.
func SHA256(name string, patterns []string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	if !info.IsDir() {
		return hashFile(name)
	}
	list := sha256.New()
	err = filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != name && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !named(d.Name(), patterns):
			return nil
		}
		sum, err := hashFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(name, file)
		fmt.Fprintf(list, "%s  %s\n", sum, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	return hex.EncodeToString(list.Sum(nil)), nil
}

// sourcesOf hashes files and folders as SHA256 does.
func sourcesOf(paths, patterns []string) ([]pilot.Source, error) {
	sources := make([]pilot.Source, len(paths))
	for i, path := range paths {
		sum, err := SHA256(path, patterns)
		if err != nil {
			return nil, err
		}
		sources[i] = pilot.Source{Name: path, SHA256: sum}
	}
	return sources, nil
}

// whileSame calls read again, three times in all, if the files at paths have changed meanwhile, so that
// all that is read of them is of the same state.
func whileSame(paths []string, read func() error) error {
	const tries = 3
	for try := 1; ; try++ {
		was := StateOf(paths...)
		if err := read(); err != nil || try == tries || StateOf(paths...) == was {
			return err
		}
	}
}

func named(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		whole, err := path.Match(p, name)
		unpacked, _ := path.Match(p, strings.TrimSuffix(name, path.Ext(name)))
		return err == nil && (whole || unpacked)
	})
}

func hashFile(name string) (string, error) {
	f, err := disk.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
