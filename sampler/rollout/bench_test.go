package rollout

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// benchRecord makes a record of about 20 KB in JSON: an agent's rollout with
// six tool calls over random words.
func benchRecord(rng *rand.Rand, i int) *Record {
	words := func(n int) string {
		var b strings.Builder
		for range n {
			for range 2 + rng.IntN(8) {
				b.WriteByte(byte('a' + rng.IntN(26)))
			}
			b.WriteString([]string{" ", " ", " ", " ", ", ", "\n", " \"", " é "}[rng.IntN(8)])
		}
		return b.String()
	}
	reward, in, out := float64(rng.IntN(5))/4, int64(5000+rng.IntN(5000)), int64(500)
	r := &Record{
		Item: fmt.Sprintf("item-%d", i/8), Split: Train, Sample: i % 8, Source: Live, Outcome: Graded, Reward: &reward,
		Parts: map[string]float64{"format": 1, "facts": reward}, Answer: words(40), Turns: 7,
		Usage: Usage{Input: &in, Output: &out}, TraceID: words(3), Started: time.Unix(1.7e9, 0).UTC(), Elapsed: Seconds(12 * time.Second),
	}
	for turn := range 6 {
		c := Call{Turn: turn, ID: fmt.Sprint("call_", turn), Name: "search", Arguments: `{"query":"` + words(6) + `"}`, Output: words(170), Status: CallOK, HTTPStatus: 200, Elapsed: Seconds(time.Second)}
		r.Calls = append(r.Calls, c)
		r.Messages = append(r.Messages,
			Message{Role: "assistant", Content: words(20), ToolCalls: []ToolCall{{ID: c.ID, Name: c.Name, Arguments: c.Arguments}}},
			Message{Role: "tool", ToolCallID: c.ID, Content: c.Output})
	}
	return r
}

func benchLines(b *testing.B, n int) []byte {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var file bytes.Buffer
	for i := range n {
		line, err := json.Marshal(benchRecord(rng, i))
		if err != nil {
			b.Fatal(err)
		}
		file.Write(line)
		file.WriteByte('\n')
	}
	return file.Bytes()
}

// BenchmarkRead reads 1,000 rollouts of about 20 KB each.
func BenchmarkRead(b *testing.B) {
	file := benchLines(b, 1000)
	for name, opt := range map[string]ReadOptions{
		"lean":             {Lean: true},
		"lean one worker":  {Lean: true, Workers: 1},
		"without prompts":  {Lean: true, SkipPrompts: true, Workers: 1},
		"whole":            {},
		"whole one worker": {Workers: 1},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				in, err := Read(context.Background(), "bench", bytes.NewReader(file), opt, func(*Record) error { return nil })
				if err != nil || in.Records != 1000 {
					b.Fatal(in, err)
				}
			}
		})
	}
}

// BenchmarkAppend writes rollouts of about 20 KB each.
func BenchmarkAppend(b *testing.B) {
	rec := benchRecord(rand.New(rand.NewPCG(1, 2)), 0)
	w, err := Create(b.TempDir(), Manifest{}, nil, WriterOptions{Redact: NewRedactor("sk-planted-secret-0123456789")})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for b.Loop() {
		if err := w.Append(rec); err != nil {
			b.Fatal(err)
		}
	}
}
