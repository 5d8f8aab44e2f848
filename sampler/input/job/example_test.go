package job_test

import (
	"fmt"

	"gonogo/sampler/input/job"
)

func ExampleParse() {
	j, err := job.Parse("job.json", []byte(`{"grader": {"type": "endpoint", "url": "https://grade.example.com/", "headers": {"X-Key": "secret-value"}},
 "tools": [{"name": "search", "server_url": "https://tools.example.com/search"}], "max_steps": 5}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(j.ToolNames(), j.Unknown)
	fmt.Println(string(j.Masked()))
	_, err = job.Parse("job.json", []byte(`{"grader": {"type": "string_check"},
 "tools": [{"name": "search"}]}`))
	fmt.Println(err)
	// Output:
	// [search] [max_steps]
	// {"grader": {"type": "endpoint", "url": "https://grade.example.com/", "headers": {"X-Key": "**********"}},
	//  "tools": [{"name": "search", "server_url": "https://tools.example.com/search"}], "max_steps": 5}
	// job.json:2:12: tools[0].server_url: missing: the URL at which tool "search" is called
}
