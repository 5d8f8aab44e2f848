package viewer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// getLabels serves labels.jsonl unchanged.
func (s *Server) getLabels(w http.ResponseWriter, r *http.Request) {
	side, err := s.sideOf(r.URL.Query().Get("run"))
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	if s.opt.Redact {
		fail(w, http.StatusForbidden, errors.New("a redacted view shows no labels"))
		return
	}
	text, err := disk.ReadFile(filepath.Join(side.run.Dir, rollout.LabelsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="labels.jsonl"`)
	w.Write(text)
}

// labelled is a label as the page sends it.
type labelled struct {
	Run    int    `json:"run"`
	Split  string `json:"split"`
	Item   string `json:"item"`
	Sample int    `json:"sample"`
	Mark   string `json:"mark"`
	Note   string `json:"note"`
}

// mostNote limits the size of a request that sends a label, in bytes.
const mostNote = 64 << 10

func (s *Server) postLabel(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, errors.New("send a label as application/json"))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostNote))
	var l labelled
	if err == nil {
		err = jsontext.Unmarshal(body, &l)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("read the label: %w", err))
		return
	}
	side, err := s.sideOf(strconv.Itoa(l.Run))
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	if err := side.unlabelled(); err != nil {
		fail(w, http.StatusForbidden, err)
		return
	}
	k, err := side.key(l.Split, l.Item, strconv.Itoa(l.Sample))
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	if _, _, ok := side.index.find(k); !ok {
		fail(w, http.StatusNotFound, errNoRollout)
		return
	}
	if err := s.keepLabel(side, k, l); err != nil {
		fail(w, http.StatusConflict, fmt.Errorf("the label was not saved: %w", err))
		return
	}
	marks, _, err := side.labels.all()
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	side.index.mu.RLock()
	labels := side.index.about(marks, k)
	side.index.mu.RUnlock()
	answer(w, map[string]any{"labels": s.names.labels(labels)})
}

func (s *Server) keepLabel(side *side, k rollout.Key, l labelled) error {
	list := []rollout.Label{{
		Split: k.Split, Item: k.Item, Sample: &k.Sample, Step: k.Step, Rater: s.opt.Rater,
		Mark: l.Mark, Note: l.Note,
	}}
	return rollout.AppendLabels(side.run.Dir, s.opt.Mask(list))
}
