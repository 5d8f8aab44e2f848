package message

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command returns a command line as its words, such as Command("gonogo", "audit", Run). A machine
// can run it, and a reader sees it quoted for a shell. Run and NextRun stand for run directories
// that only the caller who shows the message knows.
func Command(argv ...string) Arg { return Arg{Command: argv} }

// Words of a Command that stand for directories: the run that the message is about, and another run
// next to it.
const (
	Run     = "RUN"
	NextRun = "RUN-2"
)

// Place is the location of a run, for the commands in messages.
type Place struct {
	Dir    string // the run directory; "" keeps the word Run
	Config string // the gonogo.yaml for commands with -o, which make rollouts; "" for none

	// The run's configuration and grader files, for commands that use them; "" if the commands find
	// them by themselves.
	ConfigFile, GraderFile string
}

// graders are the commands that use the run's grader, and makers the commands that use the rest of
// its configuration.
var (
	graders = []string{"audit", "grade"}
	makers  = []string{"burst", "run", "sample"}
)

// At returns a command with the place filled in.
func (p Place) At(argv []string) []string {
	var out []string
	for _, word := range argv {
		if word == "-o" && p.Config != "" {
			out = append(out, "-c", p.Config)
		}
		rest, prefixed := strings.CutPrefix(word, Run)
		switch dir := strings.TrimRight(p.Dir, "/"); {
		case dir == "" || !prefixed:
		case word == Run:
			word = p.Dir
		case word == NextRun && strings.Trim(path.Base(dir), ".") == "": // "." has no name to append to
			word = path.Join(dir, "..", word)
		case word == NextRun || strings.HasPrefix(rest, "/"):
			word = dir + rest
		}
		out = append(out, word)
	}
	if len(argv) < 2 {
		return out
	}
	grades := slices.Contains(graders, argv[1])
	if p.ConfigFile != "" && !slices.Contains(out, "-c") && (grades || slices.Contains(makers, argv[1])) {
		out = append(out, "-c", p.ConfigFile)
	}
	if p.GraderFile != "" && grades {
		out = append(out, "--grader", p.GraderFile)
	}
	return out
}

// At returns the text with the place filled into its commands.
func (t Text) At(p Place) Text {
	return t.each(func(a Arg) Arg {
		if a.Command != nil {
			a.Command = p.At(a.Command)
		}
		return a
	})
}

// plainArgument lists the characters that no shell treats specially.
const plainArgument = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+=@%"

// Shell quotes words as arguments of a POSIX shell, so that pasting a command never executes the
// name of an item. Invisible characters become escapes within $'…', which bash and zsh support.
func Shell(argv ...string) string {
	quoted := make([]string, len(argv))
	for i, word := range argv {
		quoted[i] = shell(word)
	}
	return strings.Join(quoted, " ")
}

func shell(s string) string {
	switch {
	case s != "" && strings.Trim(s, plainArgument) == "":
		return s
	case !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) && !strings.Contains(s, "  "):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\\' || r == '\'':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || hidden(r) || r == ' ' && strings.HasSuffix(b.String(), " "):
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return "$'" + b.String() + "'"
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }

// PlainID formats an id for display within a line: it is quoted if it holds invisible characters,
// such as line breaks.
func PlainID(id string) string {
	if strings.ContainsFunc(id, hidden) || !utf8.ValidString(id) {
		return strconv.Quote(id)
	}
	return id
}
