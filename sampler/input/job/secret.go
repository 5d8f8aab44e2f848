package job

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"gonogo/sampler/input/document"

	"gonogo/sampler/rollout/credential"
)

// secret is a string or number of the body that must not be shown.
type secret struct {
	node   *node
	name   string // the key or header that holds it
	header bool
	url    bool // a URL that contains a credential
}

// Masked returns the body with every header value, at any depth, replaced by "**********".
// Credentials in URLs and under keys such as api_key are replaced too, whatever their length; see
// credential.InName for the keys. The response format is not changed: it describes what the model
// may write.
func (j *Job) Masked() json.RawMessage {
	out, err := j.rewrite(func(s secret) (string, bool) {
		if text, ok := s.node.token.(string); ok && s.url {
			return credential.MaskURL(text), true
		}
		return credential.Mask, true
	})
	if err != nil {
		return nil // Raw was parsed before, and masking itself cannot fail
	}
	return out
}

// Hash returns the SHA-256, in hexadecimal, of the masked body with sorted keys: it identifies what
// a run was made with, independent of credentials and layout.
func (j *Job) Hash() string {
	dec := json.NewDecoder(bytes.NewReader(j.Masked()))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		v = nil
	}
	canonical, err := json.Marshal(v)
	if err != nil {
		canonical = nil
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Secrets lists the literal credentials in the body, which must never reach a file, a log line or a
// page. Harmless header values, such as a content type, are not included.
func (j *Job) Secrets() []string {
	root, err := readTree(j.name, j.Raw)
	if err != nil {
		return nil
	}
	var found []string
	for _, s := range secrets("", root, nil) {
		text := s.node.text()
		switch {
		case s.header:
			found = append(found, credential.InHeader(s.name, text)...)
		case !s.url && credential.Is(s.name, text):
			found = append(found, text)
		}
		found = append(found, credential.URLSecrets(text)...)
	}
	// The value of ${NAME} is a secret; its name is not.
	found = credential.Literal(slices.DeleteFunc(found, variable.MatchString))
	slices.Sort(found)
	return slices.Compact(found)
}

// Expand returns the job with ${NAME}, in header values and in the other places that hold
// credentials, replaced by its value in env. The error joins a document.Error for every name that
// env does not have, and for every value that is masked, as in a job fetched from the service. Raw
// and Grader of the result hold secrets: show Masked instead.
func (j *Job) Expand(env func(string) (string, bool)) (*Job, error) {
	var wrong document.Errors
	raw, err := j.rewrite(func(s secret) (string, bool) {
		text, ok := s.node.token.(string)
		if !ok {
			return "", false
		}
		if text == credential.Mask {
			wrong = append(wrong, j.placed(place(j.name, j.Raw, s.node.start, s.node.path,
				"the value is masked, as the service shows it: write the real one, or ${NAME} to take it from the "+
					"environment")))
		}
		text, unknown := Expand(text, env)
		for _, name := range unknown {
			wrong = append(wrong, j.placed(place(j.name, j.Raw, s.node.start, s.node.path,
				fmt.Sprintf("the environment has no %s: export it, or write the value some other way", name))))
		}
		return text, true
	})
	if err := cmp.Or(err, wrong.OrNil()); err != nil {
		return nil, err
	}
	return j.reparse(raw)
}

// rewrite returns the body with every secret replaced by the result of replace; if replace returns
// false, the secret stays unchanged.
func (j *Job) rewrite(replace func(secret) (string, bool)) (json.RawMessage, error) {
	root, err := readTree(j.name, j.Raw)
	if err != nil {
		return nil, err
	}
	found := secrets("", root, nil)
	sort.Slice(found, func(i, j int) bool { return found[i].node.start < found[j].node.start })
	var out bytes.Buffer
	done := 0
	for _, s := range found {
		text, ok := replace(s)
		if !ok {
			continue
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		out.Write(j.Raw[done:s.node.start])
		out.Write(quoted)
		done = s.node.end
	}
	out.Write(j.Raw[done:])
	return out.Bytes(), nil
}

// text returns a string's text or a number's digits, and "" for anything else.
func (n *node) text() string {
	switch t := n.token.(type) {
	case string:
		return t
	case json.Number:
		return t.String()
	}
	return ""
}

// secrets appends the secret strings and numbers of n, which is the value of key; the items of a
// list count under the key of the list.
func secrets(key string, n *node, found []secret) []secret {
	_, text := n.token.(string)
	switch {
	case text && credential.InName(key), credential.Is(key, n.text()): // a long number counts
		found = append(found, secret{node: n, name: key})
	case credential.HasCredential(n.text()):
		found = append(found, secret{node: n, name: key, url: true})
	}
	for _, child := range n.items {
		found = secrets(key, child, found)
	}
	for _, key := range n.keys {
		child := n.fields[key]
		switch {
		case key == "response_format":
		case key == "headers" && child.object():
			for _, name := range child.keys {
				found = append(found, secret{node: child.fields[name], name: name, header: true})
			}
		default:
			found = secrets(key, child, found)
		}
	}
	return found
}
