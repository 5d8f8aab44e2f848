package rollout

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// What is written by hand is what encoding/json writes of the same fields.
func TestRecordAsEncodingJSON(t *testing.T) {
	type plain Record
	check := func(r Record) {
		t.Helper()
		got, err := r.MarshalJSON()
		want, wantErr := json.Marshal(plain(r))
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("got  %s, %v\nwant %s, %v", got, err, want, wantErr)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var r Record
		fill(reflect.ValueOf(&r).Elem(), rng)
		check(r)
	}
	zero := 0.0
	for _, r := range []Record{
		{},
		{Item: "<q&a>\u2028\xff\b\f\x00\x7f\"\\é😀", Reward: &zero, Grades: []float64{0, 1}, Parts: map[string]float64{"b": 1, "a": 0.5}},
		{Usage: Usage{Cached: new(int64)}, Leaks: []Leak{{"c", "tool x"}}, Messages: []Message{}, Calls: []Call{{}, {Elapsed: 1}}},
	} {
		check(r)
	}
}

func TestMessageAsEncodingJSON(t *testing.T) {
	type call struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 300 {
		var m Message
		fill(reflect.ValueOf(&m).Elem(), rng)
		if i%3 == 0 {
			m.Parts = json.RawMessage(` [ {"text": "<a>"} ]`)
		}
		j := struct {
			Role       string `json:"role"`
			Refusal    string `json:"refusal,omitempty"`
			Reasoning  string `json:"reasoning,omitempty"`
			ToolCalls  []call `json:"tool_calls,omitempty"`
			ToolCallID string `json:"tool_call_id,omitempty"`
			Name       string `json:"name,omitempty"`
			Content    any    `json:"content"`
		}{m.Role, m.Refusal, m.Reasoning, nil, m.ToolCallID, m.Name, m.Content}
		if m.Parts != nil {
			j.Content = m.Parts
		}
		for _, c := range m.ToolCalls {
			one := call{ID: c.ID, Type: "function"}
			one.Function.Name, one.Function.Arguments = c.Name, c.Arguments
			j.ToolCalls = append(j.ToolCalls, one)
		}
		got, err := m.MarshalJSON()
		want, wantErr := json.Marshal(j)
		if err != nil || wantErr != nil || !bytes.Equal(got, want) {
			t.Errorf("got  %s, %v\nwant %s, %v", got, err, want, wantErr)
		}
	}
}

func TestNumbersAsEncodingJSON(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1e-6, 9.9e-7, 1e21, 9.99e20, -0.1, 1.0 / 3, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		var w encoder
		w.number(f)
		if want, _ := json.Marshal(f); !bytes.Equal(w.b, want) {
			t.Errorf("%g is written as %s, not %s", f, w.b, want)
		}
	}
	for _, s := range []Seconds{0, 499, 500, 1500, -1, 1e9, 1234567890, Seconds(100 * 365 * 24 * time.Hour)} {
		got, _ := s.MarshalJSON()
		want, _ := json.Marshal(float64(time.Duration(s).Round(time.Microsecond).Microseconds()) / 1e6)
		if !bytes.Equal(got, want) {
			t.Errorf("%d ns are written as %s, not %s", s, got, want)
		}
	}
	var w encoder
	if w.number(math.NaN()); w.err == nil {
		t.Error("NaN is written")
	}
}

// fill gives every field of a value, added ones too, something at random.
func fill(v reflect.Value, rng *rand.Rand) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(rng.Int64N(1e10), rng.Int64N(1e9)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		texts := []string{"", "word", "<a&b>", "\u2028\u2029\xff", "\b\f\n\r\t\x00\x1f\x7f", `"\`, "é😀"}
		v.SetString(texts[rng.IntN(len(texts))] + texts[rng.IntN(len(texts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(rng.Int64N(3e12) - 1e12)
	case reflect.Uint64: // not written
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(50)-25)))
	case reflect.Pointer:
		if rng.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), rng)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), rng.IntN(4), 4))
		for i := range v.Len() {
			fill(v.Index(i), rng)
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Float64 {
			v.Set(reflect.ValueOf(map[string]float64{"b": rng.Float64(), "a": 1}))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), rng)
		}
	default:
		panic(v.Kind().String())
	}
}
