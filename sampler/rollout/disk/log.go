package disk

import (
	"encoding/json"
	"errors"
	"path/filepath"
)

// AppendLine adds one line to a JSON Lines file, and syncs it to disk before it returns. A missing
// file is created. A torn last line, such as a kill leaves, is cut off; a complete one without its
// newline gets one.
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

// ErrHeld is the error of a lock that another process holds.
var ErrHeld = errors.New("another process holds the lock")

// heldBy is an ErrHeld that names the process, if it is known.
type heldBy string

func (h heldBy) Is(target error) bool { return target == ErrHeld }

func (h heldBy) Error() string {
	return "another process" + string(h) + " is writing to it: wait for it to end, or stop it"
}

// Lock reserves a directory for this process with a lock on a file in it. The lock ends with
// release or with the process. The file remains and means nothing. A missing directory is created.
// The error is ErrHeld while another process has the lock.
func Lock(dir, name string) (release func() error, err error) {
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	return LockFile(filepath.Join(dir, name))
}
