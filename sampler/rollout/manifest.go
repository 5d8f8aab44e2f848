package rollout

import (
	"encoding/json"
	"time"
)

// ManifestSchema names the shape of run.json.
const ManifestSchema = "gonogo/run/1"

// Manifest is run.json: how a run was made. It never holds a secret.
type Manifest struct {
	Schema      string `json:"schema"`
	ID          string `json:"id"`
	Name        string `json:"name,omitempty"`
	ToolVersion string `json:"tool_version"`
	Source      Source `json:"source"`
	GradedFrom  string `json:"graded_from,omitempty"` // ID of the run whose rollouts were graded again
	Grading     bool   `json:"grading,omitempty"`     // that grading has not ended: some outputs are not graded yet
	Seed        uint64 `json:"seed"`
	// the seed that the items were drawn with, if it is not Seed
	ItemsSeed *uint64  `json:"items_seed,omitempty"`
	Model     string   `json:"model,omitempty"`
	Data      []Data   `json:"data,omitempty"`
	Planned   *Planned `json:"planned,omitempty"`
	// the parameters that the model's replies were drawn with; nil if unknown
	Sampling *Sampling   `json:"sampling,omitempty"`
	Looks    *Looks      `json:"looks,omitempty"` // set if sampling ends once the verdict is decided
	Grader   *GraderInfo `json:"grader,omitempty"`
	// key -> value or hash; a run made with other values is refused
	Binding map[string]string `json:"binding,omitempty"`
	Config  json.RawMessage   `json:"config,omitempty"` // resolved configuration, secrets masked
	// the configuration file, if it is not gonogo.yaml in the working directory
	ConfigFile string `json:"config_file,omitempty"`
	// the configuration file of another grader, from gonogo grade --grader
	GraderFile string `json:"grader_file,omitempty"`
	// how unverified parts of the wire contract were interpreted
	Choices  map[string]string `json:"choices,omitempty"`
	Notes    []string          `json:"notes,omitempty"`    // what an importer derived, or what a reader should know
	Problems []Problem         `json:"problems,omitempty"` // violations of rules of the target platform
	Variant  *Variant          `json:"variant,omitempty"`  // set if the run is a variant of another one
	Started  time.Time         `json:"started_at,omitzero"`
	Ended    time.Time         `json:"ended_at,omitzero"`
}

// Data is one data file of a run.
type Data struct {
	Split  Split  `json:"split"`
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`  // M: items in the file
	Items  int    `json:"items"` // items taken into the run
}

// Problem is a data row or file that can be read but breaks a rule of the
// platform that would train on it.
type Problem struct {
	Split    Split  `json:"split"`
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // 1-based; 0 if it is about the whole file
	Rule     string `json:"rule"`           // the rule's name, such as "last_role"
	Message  string `json:"message"`
	Blocking bool   `json:"blocking"` // breaks a verified rule for which the platform refuses the job; else advice
}

// Planned says what sampling was to make, so that missing rollouts can be counted.
type Planned struct {
	Samples  map[Split]int `json:"samples"`             // per item
	Items    map[Split]int `json:"items"`               // per split
	MaxCalls int           `json:"max_calls,omitempty"` // limit on the tool calls of a rollout; 0 = no limit
	// of an import, if its log gives it; Samples and Items are empty then
	Rollouts map[Split]int `json:"rollouts,omitempty"`
	// samples of items whose class was undecided; those beyond Samples count only for classes
	Targeted map[Split]int `json:"targeted,omitempty"`
}

// Input counts what was read from a file of rollouts.
type Input struct {
	Lines      int       `json:"lines"`      // lines that are not blank
	Records    int       `json:"records"`    // records that count
	Duplicates int       `json:"duplicates"` // exact repeats, counted once
	Conflicts  int       `json:"conflicts"`  // differing lines of one rollout, settled by --on-conflict
	Superseded int       `json:"superseded"` // earlier attempts of a rollout
	Torn       int       `json:"torn"`       // 1 if the last line was torn and left out
	Bad        []BadLine `json:"bad"`        // lines read as a missing grade
	Sum        string    `json:"-"`          // of the file as it was read, as disk.Checksum returns it
}

// BadLine is a line whose grade could not be read.
type BadLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}
