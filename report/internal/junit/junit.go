package junit

import (
	"encoding/xml"
	"fmt"
	"io"
)

// The elements of a JUnit file, according to the Jenkins schema.
type (
	// Suites is the whole file.
	Suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Time     string   `xml:"time,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Suite    Suite    `xml:"testsuite"`
	}
	// Suite is a list of test cases. Write counts them.
	Suite struct {
		Name       string     `xml:"name,attr"`
		Timestamp  string     `xml:"timestamp,attr,omitempty"`
		Hostname   string     `xml:"hostname,attr"`
		Time       string     `xml:"time,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Properties []Property `xml:"properties>property"`
		Cases      []Case     `xml:"testcase"`
		Out        Text       `xml:"system-out"`
		Err        Text       `xml:"system-err"`
	}
	// Property is a fact about a suite.
	Property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	// Case is a test case. It passed if it has neither Skipped, Error nor Failure.
	Case struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"` // in seconds
		Skipped *Message `xml:"skipped"`
		Error   *Message `xml:"error"`
		Failure *Message `xml:"failure"`
		Out     *Text    `xml:"system-out"`
	}
	// Message explains why a test case did not pass.
	Message struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"` // on one line
		Text    string `xml:",cdata"`
	}
	// Text is the output of a test case or a suite.
	Text struct {
		Text string `xml:",cdata"`
	}
)

// Write counts the cases and writes the suite as a file.
func (s Suite) Write(w io.Writer) error {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	b, err := xml.MarshalIndent(Suites{
		Name: "gonogo", Time: s.Time, Tests: s.Tests, Failures: s.Failures,
		Errors: s.Errors, Suite: s,
	}, "", "  ")
	if err == nil {
		_, err = w.Write(append([]byte(xml.Header), append(b, '\n')...))
	}
	if err != nil {
		return fmt.Errorf("write junit.xml: %w", err)
	}
	return nil
}
