package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/rollout/disk"
)

// SHA256 returns the hash of a file. For a folder it hashes a line for each file in it whose name,
// compressed or not, has one of the patterns: its hash, two spaces and its path in the folder, in the
// order of the paths.
func SHA256(name string, patterns []string) (string, error) {
	var list strings.Builder
	files := 0
	err := filepath.WalkDir(name, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != name && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || file != name && !named(d.Name(), patterns):
			return nil
		}
		sum, err := hashFile(file)
		if err != nil {
			return err
		}
		files++
		if file == name {
			list.WriteString(sum)
			return nil
		}
		rel, err := filepath.Rel(name, file)
		fmt.Fprintf(&list, "%s  %s\n", sum, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	if text := list.String(); files != 1 || strings.Contains(text, " ") {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:]), nil
	}
	return list.String(), nil
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
