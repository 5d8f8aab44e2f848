package document

import (
	"fmt"
	"path/filepath"
)

// RelativeTo returns the path as it is written in a file that is in dir, with slashes. On
// another volume there is no such path.
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
