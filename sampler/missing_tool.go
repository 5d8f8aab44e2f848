package sampler

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// missingToolRollouts is how many rollouts must have got nothing but refusals without an output
// from a tool before it counts as missing.
const missingToolRollouts = 8

// missingTool detects a tool that does not exist. A 401, 403 or 404 without an output may be meant
// for the model, which sees it in any case ("no such document"), or come from a server that does
// not know the tool. One rollout therefore proves nothing, and a tool that has ever answered
// anything else exists.
type missingTool struct {
	tool Tool

	mu       sync.Mutex // guards the fields below
	answered bool
	rollouts map[string]bool // trace ids of rollouts that saw nothing else
}

// observe notes an answer that a rollout got and returns the error that ends the run, if it should
// end.
func (m *missingTool) observe(trace string, res Result) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.answered:
		return nil
	case !refusesAll(res):
		m.answered, m.rollouts = true, nil
		return nil
	}
	if m.rollouts == nil {
		m.rollouts = make(map[string]bool, missingToolRollouts)
	}
	m.rollouts[trace] = true
	if len(m.rollouts) < missingToolRollouts {
		return nil
	}
	// The failure adds the status itself.
	message := strings.TrimPrefix(res.Error, fmt.Sprintf("status %d: ", res.HTTPStatus))
	f := &endpoint.Failure{
		Status: res.HTTPStatus, Fatal: true,
		Err: fmt.Errorf("%s (%d rollouts got no other answer)", message, missingToolRollouts),
	}
	if t, ok := m.tool.(interface{ URL() string }); ok {
		f.URL = credential.BareURL(t.URL())
	}
	return &endpoint.Error{Boundary: "tool " + m.tool.Name(), URL: f.URL, Err: f}
}

// refusesAll reports whether every call might get this answer.
func refusesAll(res Result) bool {
	switch res.HTTPStatus {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return res.NoOutput
	}
	return false
}
