package document

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// RelativeTo returns the path as it is written in a file in dir, with slashes. A path on another
// volume is an error.
func RelativeTo(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return "", fmt.Errorf("name %s from %s: %w", path, dir, err)
	}
	return filepath.ToSlash(relative), nil
}

// LinkTo returns the path as a URL relative to dir; "" on another volume.
func LinkTo(dir, path string) string {
	relative, err := RelativeTo(dir, path)
	if err != nil {
		return ""
	}
	steps := strings.Split(relative, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(url.PathEscape(step), ":", "%3A") // a colon may end a scheme
	}
	return strings.Join(steps, "/")
}
