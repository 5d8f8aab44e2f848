package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/jsontext"
)

// Members of an export request.
const (
	otlpSpans   = "resourceSpans"
	otlpLogs    = "resourceLogs"
	otlpMetrics = "resourceMetrics"
)

// otlpRequest is an export request: a line of the file exporter. Metrics are left out.
type otlpRequest struct {
	Spans []otlpResourceSpans `json:"resourceSpans"`
	Logs  []otlpResourceLogs  `json:"resourceLogs"`
}

type (
	otlpResourceSpans struct {
		Scopes []otlpScopeSpans `json:"scopeSpans"`
	}
	otlpScopeSpans struct {
		Spans []otlpSpan `json:"spans"`
	}
	otlpResourceLogs struct {
		Scopes []otlpScopeLogs `json:"scopeLogs"`
	}
	otlpScopeLogs struct {
		Records []otlpLog `json:"logRecords"`
	}
)

// spans returns the spans of all resources.
func (r *otlpRequest) spans() iter.Seq[*otlpSpan] {
	return func(yield func(*otlpSpan) bool) {
		for _, resource := range r.Spans {
			for _, scope := range resource.Scopes {
				for i := range scope.Spans {
					if !yield(&scope.Spans[i]) {
						return
					}
				}
			}
		}
	}
}

type otlpSpan struct {
	Trace      string         `json:"traceId"`
	ID         string         `json:"spanId"`
	Parent     string         `json:"parentSpanId"`
	Name       string         `json:"name"`
	Start      otlpInt        `json:"startTimeUnixNano"`
	End        otlpInt        `json:"endTimeUnixNano"`
	Attributes otlpAttributes `json:"attributes"`
	Events     []otlpEvent    `json:"events"`
	Status     struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
	} `json:"status"`
}

type otlpEvent struct {
	Name       string         `json:"name"`
	Attributes otlpAttributes `json:"attributes"`
}

type otlpLog struct {
	Trace      string         `json:"traceId"`
	Span       string         `json:"spanId"`
	Name       string         `json:"eventName"`
	Attributes otlpAttributes `json:"attributes"`

	at string // when it was made, if that is known; texts in one form
}

// failed reports whether the status is an error. Some writers name the code.
func (s *otlpSpan) failed() bool {
	code := jsontext.TextOrJSON(s.Status.Code)
	return code == "2" || code == "STATUS_CODE_ERROR"
}

// cause returns why the span failed: its exception, else the message of its status.
func (s *otlpSpan) cause() string {
	for _, e := range slices.Backward(s.Events) {
		if e.Name == "exception" {
			return strings.TrimLeft(e.Attributes.text("exception.type")+": "+e.Attributes.text("exception.message"), ": ")
		}
	}
	return cmp.Or(s.Status.Message, s.Attributes.text("error.type"), "the span "+s.Name+" has the status error")
}

// otlpInt is a 64-bit integer, which JSON of protobuf writes as a string.
type otlpInt int64

// UnmarshalJSON reads a number or a string of digits.
func (n *otlpInt) UnmarshalJSON(text []byte) error {
	digits := jsontext.TextOrJSON(text)
	if digits == "" || digits == "null" {
		*n = 0
		return nil
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is no whole number of 64 bits", text)
	}
	*n = otlpInt(v)
	return nil
}

// otlpAttributes are attributes by key, each as JSON.
type otlpAttributes map[string]json.RawMessage

// UnmarshalJSON reads a list of keys and values.
func (a *otlpAttributes) UnmarshalJSON(text []byte) error {
	var list []otlpKeyValue
	if err := jsontext.Unmarshal(text, &list); err != nil {
		return err
	}
	*a = make(otlpAttributes, len(list))
	for _, kv := range list {
		value, err := kv.Value.plain()
		if err != nil {
			return fmt.Errorf("attribute %q: %w", kv.Key, err)
		}
		(*a)[kv.Key] = value
	}
	a.unquote()
	return nil
}

// text returns the first of attributes that is not empty as text; numbers, lists and objects as JSON.
func (a otlpAttributes) text(keys ...string) string {
	for _, key := range keys {
		if text := jsontext.TextOrJSON(a[key]); text != "" {
			return text
		}
	}
	return ""
}

// number returns an attribute that is a number; nil otherwise.
func (a otlpAttributes) number(keys ...string) *float64 {
	for _, key := range keys {
		if v, err := number(key, a[key]); err == nil && v != nil && !math.IsNaN(*v) {
			return v
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(jsontext.TextOrJSON(a[key])), 64); err == nil &&
			!math.IsNaN(v) && !math.IsInf(v, 0) {
			return &v
		}
	}
	return nil
}

// count returns an attribute that is a whole number; nil otherwise.
func (a otlpAttributes) count(keys ...string) *int64 {
	for _, key := range keys {
		text := strings.TrimSuffix(jsontext.TextOrJSON(a[key]), ".0") // of a data frame
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return &n
		}
	}
	return nil
}

// structured returns an attribute that is a list or an object, which many writers encode as text.
func (a otlpAttributes) structured(key string) json.RawMessage {
	v := bytes.TrimSpace([]byte(jsontext.TextOrJSON(a[key])))
	if len(v) == 0 || v[0] != '{' && v[0] != '[' || !isJSON(v) {
		return nil
	}
	return v
}

// isJSON is json.Valid for text without white space before it.
func isJSON(text []byte) bool {
	s := jsontext.Scanner{Source: text}
	return s.Value(0) == nil && s.End() == nil
}

type otlpKeyValue struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue is an AnyValue (opentelemetry/proto/common/v1/common.proto).
type otlpValue struct {
	String *string         `json:"stringValue"`
	Bool   *bool           `json:"boolValue"`
	Int    *otlpInt        `json:"intValue"`
	Double json.RawMessage `json:"doubleValue"`
	Bytes  *string         `json:"bytesValue"`
	Array  *struct {
		Values []otlpValue `json:"values"`
	} `json:"arrayValue"`
	Object *struct {
		Values []otlpKeyValue `json:"values"`
	} `json:"kvlistValue"`
}

// plain returns the value as plain JSON.
func (v otlpValue) plain() (json.RawMessage, error) {
	switch {
	case v.String != nil:
		return jsontext.AppendPageSafe(nil, *v.String), nil
	case v.Bool != nil:
		return json.Marshal(*v.Bool)
	case v.Int != nil:
		return json.Marshal(int64(*v.Int))
	case v.Double != nil: // a number, or its text
		f, err := strconv.ParseFloat(jsontext.TextOrJSON(v.Double), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return json.RawMessage("null"), nil
		}
		return json.Marshal(f)
	case v.Bytes != nil:
		return json.Marshal(*v.Bytes)
	case v.Array != nil:
		list := make([]json.RawMessage, 0, len(v.Array.Values))
		for _, one := range v.Array.Values {
			text, err := one.plain()
			if err != nil {
				return nil, err
			}
			list = append(list, text)
		}
		return json.Marshal(list)
	case v.Object != nil:
		object := make(map[string]json.RawMessage, len(v.Object.Values))
		for _, one := range v.Object.Values {
			text, err := one.Value.plain()
			if err != nil {
				return nil, err
			}
			object[one.Key] = text
		}
		return marshalRow(object)
	}
	return json.RawMessage("null"), nil
}
