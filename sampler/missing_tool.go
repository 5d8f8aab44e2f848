package sampler

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// missingToolRollouts is how many rollouts must have got nothing but refusals
// without an output from a tool before it counts as missing.
const missingToolRollouts = 8

// missingTool detects a tool that does not exist. A 401, 403 or 404 without an
// output may be meant for the model, which sees it in any case ("no such
// document"), or come from a server that does not know the tool. One rollout
// therefore proves nothing, and a tool that ever answered anything else exists.
type missingTool struct {
	tool Tool

	mu       sync.Mutex // guards what follows
	spoke    bool
	rollouts map[string]bool // trace ids that saw nothing else
}

// heard notes an answer that a rollout got and returns the error that ends the
// run, if it should end.
func (m *missingTool) heard(trace string, res Result) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.spoke:
		return nil
	case !refusesAll(res):
		m.spoke, m.rollouts = true, nil
		return nil
	}
	if m.rollouts == nil {
		m.rollouts = make(map[string]bool, missingToolRollouts)
	}
	m.rollouts[trace] = true
	if len(m.rollouts) < missingToolRollouts {
		return nil
	}
	said := strings.TrimPrefix(res.Error, fmt.Sprintf("status %d: ", res.HTTPStatus)) // the failure says it itself
	f := &endpoint.Failure{
		Status: res.HTTPStatus, Fatal: true,
		Err: fmt.Errorf("%s (%d rollouts got no other answer)", said, missingToolRollouts),
	}
	if t, ok := m.tool.(interface{ URL() string }); ok {
		f.URL = credential.BareURL(t.URL())
	}
	return &endpoint.Error{Boundary: "tool " + m.tool.Name(), URL: f.URL, Err: f}
}

// refusesAll reports whether an answer may be one that every call would get.
func refusesAll(res Result) bool {
	switch res.HTTPStatus {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return res.NoOutput
	}
	return false
}
