package disk

import (
	"encoding/json"
	"errors"
	"path/filepath"
)

// AppendLine adds one line to a file of lines of JSON, and forces it to disk before it
// returns. A missing file is created. A torn last line, such as a kill leaves, is cut
// off; a complete one without its newline gets it.
func AppendLine(path string, line []byte) error {
	a, err := OpenAppender(path, json.Valid)
	if err != nil {
		return err
	}
	err = a.Append(line)
	if closed := a.Close(); err == nil {
		err = closed
	}
	return errors.Join(err, SyncDir(filepath.Dir(path)))
}

// Lock reserves a directory for this process, by a lock on a file in it, which ends with
// release or with the process. The file stays behind and means nothing. A missing
// directory is created.
func Lock(dir, name string) (release func() error, err error) {
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	return LockFile(filepath.Join(dir, name))
}
