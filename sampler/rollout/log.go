package rollout

import (
	"errors"
	"path/filepath"
)

// AppendLine adds one line to a file of lines of JSON, and forces it to disk
// before it returns. The file is made where there is none. A torn last line, as
// a kill leaves it, is cut off; a whole one that lacks its newline gets it.
func AppendLine(path string, line []byte) error {
	a, err := openAppender(path)
	if err != nil {
		return err
	}
	err = a.append(line)
	if closed := a.close(); err == nil {
		err = closed
	}
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// Lock takes a directory for this process alone, by a file in it that stays
// behind, empty of meaning: what holds is the lock on it, which ends with
// release or with the process. The directory is made where there is none.
func Lock(dir, name string) (release func() error, err error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	return lock(filepath.Join(dir, name))
}
