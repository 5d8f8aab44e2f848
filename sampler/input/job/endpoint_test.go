package job

import (
	"slices"
	"testing"
)

func TestGraderURLsAreFoundAtAnyDepth(t *testing.T) {
	j, err := Parse("job.json", []byte(`{"grader":{"type":"multi","name":"m","calculate_output":"a+b","graders":{
		"b":{"type":"endpoint","name":"b","url":"https://b.example/grade"},
		"a":{"type":"endpoint","name":"a","url":"https://a.example/grade"},
		"c":{"type":"string_check","name":"c","input":"x","reference":"x","operation":"eq"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"https://a.example/grade", "https://b.example/grade"}
	if got := j.GraderURLs(); !slices.Equal(got, want) {
		t.Errorf("urls are %v, want %v", got, want)
	}
}
