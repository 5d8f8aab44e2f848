package grader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// readPrinted reads what a command printed: a number, or an object with a score and optional
// parts. kind is the kind of err.
func readPrinted(text []byte) (grade sampler.Grade, kind string, err error) {
	text = bytes.ToValidUTF8(bytes.TrimSpace(text), []byte("\uFFFD"))
	if bytes.HasPrefix(text, []byte("{")) {
		return readObject(text)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case len(text) == 0:
		return grade, sampler.KindMalformed, errors.New("it printed nothing: it must print a number")
	case errors.Is(err, strconv.ErrRange), err == nil && (math.IsNaN(v) || math.IsInf(v, 0)):
		return grade, sampler.KindNotANumber,
			errors.New("it printed " + endpoint.Brief(string(text)) + ", which is not a finite number")
	case err != nil && json.Valid(text):
		return grade, sampler.KindNotANumber,
			errors.New("it printed " + endpoint.Brief(string(text)) + ", which is not a number")
	case err != nil:
		return grade, sampler.KindMalformed,
			errors.New("it printed neither a number nor a JSON object with a score: " + endpoint.Brief(string(text)) +
				"; print everything else on standard error")
	}
	return sampler.Grade{Reward: v}, "", nil
}

// answers returns an error if a line is not the answer to the request with that id.
func answers(text []byte, id string) error {
	var answer struct {
		ID *string `json:"id"`
	}
	const fix = `print {"id": asked["id"], "score": 0.5} for each line (lines: true), and everything else on standard error`
	shown := endpoint.Brief(string(bytes.ToValidUTF8(bytes.TrimSpace(text), []byte("\uFFFD"))))
	switch err := jsontext.Unmarshal(text, &answer); {
	case err != nil || answer.ID == nil:
		return fmt.Errorf("it printed %s without its request's id: %s", shown, fix)
	case *answer.ID != id:
		return fmt.Errorf("it printed %s with another request's id: %s", shown, fix)
	}
	return nil
}

// readObject reads {"score": x, "parts": {"style": y}}.
func readObject(text []byte) (grade sampler.Grade, kind string, err error) {
	grade.Reward, kind, err = readScore(endpoint.Answer{Body: text})
	if err != nil {
		return sampler.Grade{}, kind, err
	}
	var more struct {
		Parts map[string]json.RawMessage `json:"parts"`
	}
	if jsontext.Unmarshal(text, &more) != nil {
		return sampler.Grade{}, sampler.KindMalformed,
			errors.New("parts is not an object: " + endpoint.Brief(string(text)))
	}
	for name, raw := range more.Parts {
		var x *float64
		if jsontext.Unmarshal(raw, &x) != nil || x == nil {
			return sampler.Grade{}, sampler.KindNotANumber,
				errors.New("the part " + endpoint.Brief(strings.ToValidUTF8(name, "\uFFFD")) + " is " +
					endpoint.Brief(string(raw)) + ", which is not a number")
		}
		if grade.Parts == nil {
			grade.Parts = make(map[string]float64, len(more.Parts))
		}
		grade.Parts[name] = *x
	}
	return grade, "", nil
}
