package mcpserver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// below returns the path of something in the server's folder, relative to it. It refuses what is
// outside, also by way of symbolic links: those in the path, and those in the directory that it
// names. What does not exist yet is judged by the folder that would hold it.
func (s *server) below(path string) (string, error) {
	if path == "" {
		return "", refuse("a path is empty: name it relative to the folder of the server")
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.folder, full)
	}
	full = filepath.Clean(full)
	if err := s.contains(full, path); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(s.folder, full)
	if err != nil || !filepath.IsLocal(rel) { // an absolute path by another name of the folder
		return "", refuse("%q is outside the folder of the server: only what is below it is read", path)
	}
	err = filepath.WalkDir(full, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // whoever reads it says so
		case d.Type()&fs.ModeSymlink != 0:
			return s.contains(at, path)
		case d.IsDir() && at != full && !ofRun(at):
			return fs.SkipDir
		}
		return nil
	})
	return rel, err
}

// ofRun reports whether what is in a folder of a run directory is read: RUN/variants/NAME and
// RUN/pilot.
func ofRun(folder string) bool {
	return slices.Contains([]string{"variants", "pilot"}, filepath.Base(folder)) ||
		filepath.Base(filepath.Dir(folder)) == "variants"
}

// contains refuses a file whose real path is outside the folder; path is how the client named it.
func (s *server) contains(file, path string) error {
	for at := file; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) && !isLink(at) {
			continue
		}
		if err == nil && (real == s.folder || strings.HasPrefix(real, s.folder+string(filepath.Separator))) {
			return nil
		}
		return refuse("%q leads outside the folder of the server: only what is below it is read", path)
	}
}

// isLink reports whether a path is a symbolic link, also a broken one.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
