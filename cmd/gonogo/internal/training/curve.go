package training

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/pilot"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

// TrainerState is the file in which trainers built on Hugging Face's keep their logged metrics.
const TrainerState = "trainer_state.json"

// ReadCurves reads the curves of a file of metrics: trainer_state.json, the JSON lines of verl's file
// logger or those of tinker-cookbook and prime-rl (metrics.jsonl), or a CSV with a step and numbers, such as
// W&B and TensorBoard export. ok is false for a file
// of another kind, such as one of rollouts.
func ReadCurves(path string) (curves []pilot.Curve, ok bool, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	points, ok, err := readPoints(filepath.Base(path), f)
	if err != nil {
		return nil, false, fmt.Errorf("read the curves of %s: %w", path, err)
	}
	return points.curves(), ok && len(points) > 0, nil
}

// points are values by curve and step.
type points map[string]map[int]float64

func (p points) add(name string, step int, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	if p[name] == nil {
		p[name] = make(map[int]float64)
	}
	p[name][step] = value
}

func (p points) curves() []pilot.Curve {
	var list []pilot.Curve
	for _, name := range slices.Sorted(maps.Keys(p)) {
		c := pilot.Curve{Name: name, Steps: slices.Sorted(maps.Keys(p[name]))}
		for _, step := range c.Steps {
			c.Values = append(c.Values, p[name][step])
		}
		list = append(list, c)
	}
	return list
}

const (
	mostCurveBytes = 64 << 20
	headBytes      = 64 << 10
	mostStep       = 1 << 30
)

// readPoints reads a file by its first byte and its name.
func readPoints(name string, from io.Reader) (points, bool, error) {
	rd := bufio.NewReaderSize(io.LimitReader(from, mostCurveBytes), headBytes)
	if mark, _ := rd.Peek(len("\ufeff")); string(mark) == "\ufeff" {
		_, _ = rd.Discard(len(mark))
	}
	for {
		b, err := rd.ReadByte()
		if err != nil {
			return nil, false, nil // empty, or nothing but spaces
		}
		if strings.IndexByte(" \t\r\n", b) >= 0 {
			continue
		}
		if err := rd.UnreadByte(); err != nil {
			return nil, false, err
		}
		if b == '{' {
			return jsonPoints(rd)
		}
		if !strings.EqualFold(filepath.Ext(name), ".csv") {
			return nil, false, nil
		}
		return csvPoints(name, rd)
	}
}

// jsonPoints reads an object with a log_history, or lines with a step and data or metrics. Only its beginning is
// read of a file of another kind.
func jsonPoints(rd *bufio.Reader) (points, bool, error) {
	all := make(points)
	head, _ := rd.Peek(headBytes) // an error comes again
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.Contains(head, []byte(`"log_history"`)):
		text, err := io.ReadAll(rd)
		if err != nil {
			return nil, false, err
		}
		var state struct {
			History []map[string]json.RawMessage `json:"log_history"`
		}
		if text = strict(text); text == nil || jsontext.Unmarshal(text, &state) != nil {
			return nil, false, nil
		}
		for _, entry := range state.History {
			all.addAll(entry["step"], entry)
		}
		return all, true, nil
	case all.addLine(line):
		lines := bufio.NewScanner(rd)
		lines.Buffer(nil, mostCurveBytes)
		for lines.Scan() {
			all.addLine(lines.Bytes()) // the last one may be incomplete: it is being written
		}
		return all, true, lines.Err()
	}
	return nil, false, nil
}

// addLine adds a line of a step and its data, and reports whether it is one. Without data, its numbers are
// metrics if the names of some have a slash, such as env/all/reward/total.
func (p points) addLine(line []byte) bool {
	var row struct {
		Step json.RawMessage            `json:"step"`
		Data map[string]json.RawMessage `json:"data"`
	}
	line = strict(line)
	if line == nil || jsontext.Unmarshal(line, &row) != nil || row.Step == nil {
		return false
	}
	if row.Data == nil && bytes.Contains(line, []byte("/")) && jsontext.Unmarshal(line, &row.Data) == nil {
		delete(row.Data, "step")
		named := false
		for name, value := range row.Data {
			if len(value) > 0 && strings.IndexByte(`"[{`, value[0]) >= 0 { // a rollout
				return false
			}
			named = named || strings.Contains(name, "/")
		}
		if !named {
			return false
		}
	}
	if row.Data == nil {
		return false
	}
	p.addAll(row.Step, row.Data)
	return true
}

// strict returns a JSON object with null for the NaN and Infinity that Python writes; nil if the text
// is another value.
func strict(text []byte) []byte {
	s := jsontext.Scanner{Source: text, Lenient: true}
	if s.Members(func(_, _ []byte) error { return nil }) != nil {
		return nil
	}
	return jsontext.Nullify(text)
}

// shown are parts of the names of curves worth showing.
var shown = []string{"reward", "score", "return", "entropy", "length", "kl", "clip", "acc", "loss"}

func (p points) addAll(step json.RawMessage, values map[string]json.RawMessage) {
	at, ok := stepOf(string(bytes.TrimSpace(step)))
	if !ok {
		return
	}
	for name, raw := range values {
		if v, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64); err == nil && worthShowing(name) {
			p.add(name, at, v)
		}
	}
}

func worthShowing(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(shown, func(part string) bool { return strings.Contains(name, part) })
}

// stepOf reads a step, which programs may write as 12.0.
func stepOf(text string) (int, bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) || v < 0 || v > mostStep {
		return 0, false
	}
	return int(v), true
}

// csvPoints reads a table with one row a step. TensorBoard's columns are Wall time, Step and Value;
// W&B adds __MIN and __MAX to the name of a curve. A table with several rows a step holds rollouts.
func csvPoints(name string, rd io.Reader) (points, bool, error) {
	table := csv.NewReader(rd)
	table.FieldsPerRecord, table.LazyQuotes, table.ReuseRecord = -1, true, true
	head, err := table.Read()
	if err != nil {
		return nil, false, nil
	}
	head = slices.Clone(head)
	at := slices.IndexFunc(head, func(column string) bool {
		last := strings.ToLower(column[strings.LastIndex(column, "/")+1:])
		return slices.Contains([]string{"step", "_step", "global_step"}, last)
	})
	if at < 0 {
		return nil, false, nil
	}
	all, seen := make(points), make(map[int]bool)
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return all, len(all) > 0, nil
		}
		if err != nil { // a line that is being written
			return all, len(all) > 0, nil
		}
		if at >= len(row) {
			continue
		}
		step, ok := stepOf(strings.TrimSpace(row[at]))
		if !ok {
			continue
		}
		if seen[step] {
			return nil, false, nil
		}
		seen[step] = true
		for i := range min(len(row), len(head)) {
			v, err := strconv.ParseFloat(strings.TrimSpace(row[i]), 64)
			column := head[i]
			switch {
			case err != nil || i == at || strings.HasSuffix(column, "__MIN") || strings.HasSuffix(column, "__MAX"):
			case strings.EqualFold(column, "value"):
				all.add(cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), column), step, v)
			case worthShowing(column):
				all.add(column, step, v)
			}
		}
	}
}
