package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
	"gonogo/sampler/wording"
)

// Config is one tool as the job describes it.
type Config struct {
	Name      string
	ServerURL string
	Headers   map[string]string          // final values
	Extra     map[string]json.RawMessage // further keys of the job's entry, sent along in the body as they are
}

// Options apply to all tools of a run.
type Options struct {
	HTTP  *http.Client // nil = a client of our own, as endpoint.HTTPClient
	Conns int          // connections to keep to each server; 0 = 16

	// MaxReply is the longest answer in bytes that is shown to the model. A longer
	// one is shown as an error of status 413, which is Azure's rule at 1 MB. 0 means
	// DefaultMaxReply.
	MaxReply int64
}

// DefaultMaxReply is 1 MB, for every target: one huge tool answer that fills the
// context is the more common way to lose a rollout.
const DefaultMaxReply = 1_000_000

// maxRefusal bounds how much of an error payload the model is shown when a
// refusal brought no output.
const maxRefusal = 4096

// Tool is one tool behind HTTP. It implements sampler.Tool.
type Tool struct {
	name   string
	at     sampler.Address
	client *http.Client
	extra  []byte // ,"key":value… of the job's entry
	limit  int64
	echo   echo
}

// New returns the job's tools, in order.
func New(cfgs []Config, opts Options) ([]sampler.Tool, error) {
	if opts.MaxReply <= 0 {
		opts.MaxReply = DefaultMaxReply
	}
	if opts.HTTP == nil {
		opts.HTTP = endpoint.HTTPClient(nil, cmp.Or(opts.Conns, 16))
	}
	tools := make([]sampler.Tool, 0, len(cfgs))
	seen := map[string]bool{}
	for _, c := range cfgs {
		t, err := newTool(c, opts)
		if err != nil {
			return nil, err
		}
		if seen[c.Name] {
			return nil, fmt.Errorf("tool %q is listed twice", c.Name)
		}
		seen[c.Name] = true
		tools = append(tools, t)
	}
	return tools, nil
}

func newTool(c Config, opts Options) (*Tool, error) {
	if c.Name == "" {
		return nil, errors.New("a tool has no name")
	}
	at, err := sampler.NewAddress("server_url", c.ServerURL, c.Headers)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", c.Name, err)
	}
	t := &Tool{name: c.Name, at: at, client: opts.HTTP, limit: opts.MaxReply}
	keys := make([]string, 0, len(c.Extra))
	for k := range c.Extra {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if reserved[k] {
			return nil, fmt.Errorf("tool %q: the extra key %q would replace a field of the call", c.Name, k)
		}
		if !json.Valid(c.Extra[k]) {
			return nil, fmt.Errorf("tool %q: the extra key %q is not JSON", c.Name, k)
		}
		t.extra = append(jsontext.AppendQuoted(append(t.extra, ','), k), ':')
		t.extra = append(t.extra, c.Extra[k]...)
	}
	return t, nil
}

// reserved are the fields of a call's body.
var reserved = map[string]bool{
	"type": true, "id": true, "call_id": true, "name": true, "arguments": true,
	"trace_id": true, "item": true,
}

// Name returns the tool's name.
func (t *Tool) Name() string { return t.name }

// URL returns the address that is called.
func (t *Tool) URL() string { return t.at.URL() }

// SessionReads lists the session variables in the tool's address.
func (t *Tool) SessionReads() []string { return t.at.Reads() }

// Call makes one request. What the model may see is a Result: an answer of
// status 2xx, and one of 4xx with its output, or with its payload where it has
// none. 408, 425, 429, 5xx, a broken connection, an answer that cannot be read
// and one that belongs to another call are failures worth another try; the wire
// contract does not say what a trainer does with the last three.
func (t *Tool) Call(ctx context.Context, call sampler.Call) (sampler.Result, error) {
	address, header, secrets, err := t.at.In(call.RolloutSession)
	if err != nil {
		return sampler.Result{}, err
	}
	a, err := call.Try.Post(ctx, t.client, address, header, t.body(call), t.limit)
	if err != nil {
		return sampler.Result{}, err
	}
	switch {
	case transport(a):
		f := endpoint.StatusFailure(address, secrets.Answer(a))
		f.Fatal = false
		return sampler.Result{}, f
	case a.Over:
		text := fmt.Sprintf("413: the tool's output is longer than %d bytes", t.limit)
		return sampler.Result{HTTPStatus: a.Status, Error: text, Output: "Error: " + text}, nil
	case a.Status >= 400:
		return refusal(a, secrets), nil
	case a.Status >= 300:
		return sampler.Result{}, &endpoint.Failure{
			URL: credential.BareURL(address), Status: a.Status,
			Err: errors.New("the tool redirects to nowhere"),
		}
	}
	said, ok := outputOf(a.Body)
	switch {
	case !ok:
		err = fmt.Errorf("the answer is not a JSON object with an \"output\": %s",
			endpoint.Brief(secrets.Mask(string(a.Body))))
	case t.echo.foreign(call.ID, said.callID):
		err = fmt.Errorf("the answer to %s is the answer to another call, %s", call.ID,
			endpoint.Brief(secrets.Mask(said.callID)))
	default:
		return sampler.Result{Output: said.output, HTTPStatus: a.Status, Note: said.note}, nil
	}
	return sampler.Result{}, &endpoint.Failure{
		URL: credential.BareURL(address), Status: a.Status, Temporary: true,
		Err: err,
	}
}

// transport reports whether an answer is the server's trouble, not a refusal.
// Of the statuses that are temporary elsewhere, 409 is a tool's own word: a
// conflict is for the model to solve.
func transport(a endpoint.Answer) bool {
	return endpoint.Temporary(a.Status) && a.Status != http.StatusConflict
}

// body writes the body of a call. The item's row goes along as it was read.
func (t *Tool) body(call sampler.Call) []byte {
	var row []byte
	if call.Item != nil {
		row = call.Item.Row
	}
	b := make([]byte, 0, len(row)+len(call.Arguments)+len(t.extra)+256)
	field := func(name, value string) {
		b = append(b, name...)
		b = jsontext.AppendQuoted(b, value)
	}
	field(`{"type":"function_call","id":`, "fc_"+call.ID)
	field(`,"call_id":`, call.ID)
	field(`,"name":`, t.name)
	field(`,"arguments":`, call.Arguments)
	field(`,"trace_id":`, call.TraceID)
	b = append(b, `,"item":`...)
	b = append(b, row...)
	if len(row) == 0 {
		b = append(b, "null"...)
	}
	b = append(b, t.extra...)
	return append(b, '}')
}

// refusal is a 4xx as the model is shown it.
func refusal(a endpoint.Answer, secrets endpoint.Secrets) sampler.Result {
	res := sampler.Result{
		HTTPStatus: a.Status,
		Error:      fmt.Sprintf("status %d: %s", a.Status, endpoint.ErrorText(secrets.Answer(a))),
	}
	if said, ok := outputOf(a.Body); ok {
		res.Output, res.Note = said.output, said.note
		return res
	}
	payload := wording.ClipBytes(string(a.Body), maxRefusal)
	if payload == "" {
		payload = http.StatusText(a.Status)
	}
	res.Output, res.NoOutput = fmt.Sprintf("Error %d: %s", a.Status, payload), true
	return res
}

// said is what a body says.
type said struct {
	output string
	note   string // an oddity of it
	callID string // of the call that it says it answers; "" when it does not
}

// outputOf reads {"output": …, "call_id": …}, or the same within "result". An
// output that is not a string is shown as its JSON, with a note.
func outputOf(body []byte) (s said, ok bool) {
	var output, callID, result []byte
	read := func(text []byte) error {
		return jsontext.Fields(text, func(key, value []byte) error {
			switch string(key) {
			case "output":
				output = value
			case "call_id":
				callID = value
			case "result":
				result = value
			}
			return nil
		})
	}
	if read(body) != nil {
		return said{}, false
	}
	if inner := result; output == nil && inner != nil && read(inner) != nil {
		return said{}, false
	}
	if output == nil {
		return said{}, false
	}
	if output[0] != '"' {
		s.note = rollout.NotText
	}
	if s.output = jsontext.TextOrJSON(output); s.output == "" && output[0] == 'n' {
		s.output = "null"
	}
	s.callID = jsontext.TextOrJSON(callID)
	return s, true
}
