package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// answer is a server's answer to a call.
type answer struct {
	Content           []content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	ResultType        string          `json:"resultType"`
}

// content is a part of an answer.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Resource *struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
	} `json:"resource"`
}

// shown returns the part as the model sees it. text is false if the part is not text; s is then only
// its type, MIME type and URI.
func (c content) shown() (s string, text bool) {
	kind, uri := c.MIMEType, c.URI
	if r := c.Resource; r != nil {
		if r.Text != nil {
			return *r.Text, true
		}
		kind, uri = r.MIMEType, r.URI
	}
	if c.Type == "text" {
		return c.Text, true
	}
	words := []string{c.Type}
	for _, w := range []string{kind, uri} {
		if w != "" {
			words = append(words, w)
		}
	}
	return "[" + strings.Join(words, " ") + "]", false
}

// readResult reads an answer to tools/call. An answer of more than limit bytes becomes an error result.
// It fails only if the answer cannot be read.
func readResult(raw json.RawMessage, limit int) (sampler.Result, error) {
	var a *answer
	if err := jsontext.Unmarshal(raw, &a); err != nil || a == nil {
		return sampler.Result{}, fmt.Errorf("the answer is not a result of a tool: %s", endpoint.Brief(string(raw)))
	}
	if a.ResultType == "input_required" {
		return refuse("the tool asks for more input than its arguments, which gonogo cannot give"), nil
	}
	var res sampler.Result
	var parts []string
	texts := false
	for _, c := range a.Content {
		s, text := c.shown()
		if texts = texts || text && s != ""; !text {
			res.Note = fmt.Sprintf("the answer contains something other than text (%s): the model sees only its name",
				endpoint.Brief(c.Type))
		}
		parts = append(parts, s)
	}
	if s := a.StructuredContent; !texts && len(s) > 0 && string(s) != "null" {
		parts = append([]string{string(s)}, parts...)
	}
	res.Output = strings.Join(parts, "\n")
	switch {
	case len(res.Output) > limit:
		return tooLong(limit), nil
	case a.IsError && strings.TrimSpace(res.Output) == "":
		return refuse("the tool failed, and does not say why"), nil
	case a.IsError:
		res.Error = "the tool failed: " + endpoint.Brief(res.Output)
	}
	return res, nil
}

// refuse returns an error result without output from the tool.
func refuse(why string) sampler.Result {
	return sampler.Result{Output: "Error: " + why, Error: why, NoOutput: true}
}

// tooLong returns the error result for an answer of more than limit bytes.
func tooLong(limit int) sampler.Result {
	text := fmt.Sprintf("413: the tool's output is longer than %d bytes", limit)
	return sampler.Result{Output: "Error: " + text, Error: text}
}
