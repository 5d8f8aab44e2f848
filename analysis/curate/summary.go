package curate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/wording"
)

// namedInSummary is how many items a line of the summary names at most; the table names all.
const namedInSummary = 12

// Summary describes a curation for people: how many rows are kept, why the others are dropped,
// what the choice gains and how much of that remains on new rollouts. Texts from the data are
// unchanged: the caller makes them safe for a terminal.
func (c *Curation) Summary() string {
	var b bytes.Buffer
	c.summarizeRows(&b)
	c.summarizeBands(&b)
	c.summarizeGain(&b)
	c.summarizeFresh(&b)
	if len(c.Notes) > 0 {
		fmt.Fprintln(&b, "\nNotes")
		for _, note := range c.Notes {
			fmt.Fprintf(&b, "  - %s\n", note.String())
		}
	}
	c.summarizeFiles(&b)
	return b.String()
}

func (c *Curation) summarizeRows(w io.Writer) {
	fmt.Fprintf(w, "%s: %s of %s kept, %s dropped\n", c.File, message.Whole(c.Kept), count(c.Rows, "row"),
		message.Whole(c.Rows-c.Kept))
	if c.Rows > c.Kept {
		fmt.Fprintln(w, "\nDropped, each row under its surest reason")
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, reason := range Reasons() {
			if n := c.Dropped[reason.Name]; n > 0 {
				fmt.Fprintf(table, "  %s\t%s\t%s\n", reason.Name, message.Whole(n), reason.Doc)
			}
		}
		_ = table.Flush() // into memory
	}
	if v := c.Variance; v != nil {
		fmt.Fprintf(w, "\nKept by variance: %s of %s with %s of the summed variance, each with a standard deviation of at "+
			"least %s\n", message.Whole(v.Kept), count(v.Items, "measured row"), message.Percent(v.Share),
			message.Digits(v.SD))
	}
	if len(c.Open) == 0 && c.NotMeasured == 0 {
		return
	}
	fmt.Fprintln(w, "\nKept, but not known to be worth it")
	if n := len(c.Open); n > 0 {
		fmt.Fprintf(w, "  %s %s more samples (gonogo sample -o RUN --items-undecided makes them): %s\n",
			message.Whole(n), wording.Plural(n, "item[ needs|s need]"), c.openItems())
	}
	if n := c.NotMeasured; n > 0 {
		fmt.Fprintf(w, "  %s never sampled (--measured-only drops them): %s\n", count(n, "row"), c.unmeasured())
	}
}

// summarizeBands counts the kept rows by difficulty, if that was asked for.
func (c *Curation) summarizeBands(w io.Writer) {
	bands := c.Bands()
	if bands == nil {
		return
	}
	fmt.Fprintf(w, "\nKept, by expected pass rate\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	low, high := message.Percent(BandLow), message.Percent(BandHigh)
	for _, band := range []struct{ name, rate string }{
		{Hard, "below " + low},
		{Medium, low + " to " + high},
		{Easy, "above " + high},
	} {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", band.name, message.Whole(bands[band.name]), band.rate)
	}
	_ = table.Flush() // into memory
	fmt.Fprintf(w, "  The weight of a row, in the table, is the posterior probability that its pass rate is between "+
		"%s and %s.\n", low, high)
}

// openItems names the open items and how many more samples each needs.
func (c *Curation) openItems() string {
	var names []string
	for i := range c.Table {
		row := &c.Table[i]
		if !row.Kept || !row.Open || row.Repeats {
			continue
		}
		more := fmt.Sprintf(" (no number up to %s would tell)", message.Whole(measure.MaxSamplesToTell))
		if row.MoreSamples != nil {
			more = fmt.Sprintf(" (+%s)", message.Whole(*row.MoreSamples))
		}
		names = append(names, message.PlainID(row.Item)+more)
	}
	return few(names)
}

func (c *Curation) unmeasured() string {
	var names []string
	for i := range c.Table {
		if row := &c.Table[i]; row.Kept && row.Sampled == 0 {
			names = append(names, message.PlainID(row.Item))
		}
	}
	return few(names)
}

// few lists the first names and the number of the others.
func few(names []string) string {
	if remaining := len(names) - namedInSummary; remaining > 0 {
		names = append(slices.Clone(names[:namedInSummary]),
			fmt.Sprintf("and %s more, in the table", message.Whole(remaining)))
	}
	return strings.Join(names, ", ")
}

// summarizeGain writes what the choice gains on the samples by which it was made.
func (c *Curation) summarizeGain(w io.Writer) {
	before, after := &c.Before, &c.After
	fmt.Fprintf(w, "\nWhat the choice gains, on %s measured, %s of them kept\n", count(before.Items, "item"),
		message.Whole(after.Items))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  \tall\tkept\n")
	group := fmt.Sprintf("groups of %d", after.GroupSize)
	if before.GroupSize != after.GroupSize {
		group = fmt.Sprintf("groups of %d and %d", before.GroupSize, after.GroupSize)
	}
	gainLine(table, group+" whose rewards differ", before.Informative, after.Informative)
	if before.Expected != nil && after.Expected != nil {
		gainLine(table, fmt.Sprintf("expected by the model, groups of %d", c.GroupSize), *before.Expected,
			*after.Expected)
	}
	gainLine(table, "mean reward", before.Reward, after.Reward)
	gainLine(table, "lift, "+group, before.Lift, after.Lift)
	fmt.Fprintf(table, "  rollouts paid for each such group\t%s\t%s\n", paidFor(before), paidFor(after))
	_ = table.Flush() // into memory
	if before.GroupSize < c.GroupSize {
		fmt.Fprintf(w, "  The trainer's groups have %d rollouts and the items fewer samples: their informative "+
			"share is higher than that of the smaller groups measured here.\n", c.GroupSize)
	}
	if c.Fresh == nil {
		fmt.Fprint(w, "  The rows were chosen by the samples that this is measured on, which flatters the kept "+
			"ones. The expected share is shrunk\n"+
			"  by each item's posterior and is not biased by that; --fresh-samples N measures the kept ones on new "+
			"rollouts.\n")
	}
}

func gainLine(w io.Writer, name string, estimates ...stat.Estimate) {
	cells := []string{"  " + name}
	for _, e := range estimates {
		cells = append(cells, estimateText(e))
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

func estimateText(e stat.Estimate) string {
	if !e.Known() {
		return "not known"
	}
	return message.Interval(e.Value, e.Low, e.High)
}

// paidFor formats the cost factor, as measured and as expected.
func paidFor(set *Set) string {
	text := "not known"
	if set.Cost != nil {
		text = message.Digits(*set.Cost)
	}
	if set.ExpectedFor != nil {
		text += ", expected " + message.Digits(*set.ExpectedFor)
	}
	return text
}

// summarizeFresh writes how much of the gain remains on new rollouts.
func (c *Curation) summarizeFresh(w io.Writer) {
	fresh := c.Fresh
	if fresh == nil {
		return
	}
	fmt.Fprintf(w, "\nThe kept items again, on new rollouts: %s, %s new samples each (median), in %s\n",
		count(fresh.Items, "item"), message.Digits(fresh.Samples.Median), fresh.Run)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  \tall, before\tkept, as chosen\tkept, new rollouts\tselection bias\n")
	group := fmt.Sprintf("groups of %d", fresh.GroupSize)
	gainLine(table, group+" whose rewards differ", fresh.Before.Informative, fresh.Chosen.Informative,
		fresh.Fresh.Informative, fresh.Informative.Flattered)
	gainLine(table, "mean reward", fresh.Before.Reward, fresh.Chosen.Reward, fresh.Fresh.Reward, fresh.Reward.Flattered)
	gainLine(table, "lift, "+group, fresh.Before.Lift, fresh.Chosen.Lift, fresh.Fresh.Lift, fresh.Lift.Flattered)
	_ = table.Flush() // into memory
	if fresh.Fresh.Cost != nil {
		fmt.Fprintf(w, "  On new rollouts %s are paid for each such group.\n", message.Digits(*fresh.Fresh.Cost))
	}
	fmt.Fprint(w, c.freshWords())
	if n := fresh.Missing.Total(); n > 0 || fresh.Lost > 0 {
		fmt.Fprintf(w, "  %s failed, and %s had none with a reward: they are left out of this comparison.\n",
			count(n, "new rollout"), count(fresh.Lost, "kept item"))
	}
}

// freshWords describes how the informative share holds up on new rollouts.
func (c *Curation) freshWords() string {
	f := c.Fresh.Informative
	switch {
	case c.Before.Items == c.After.Items:
		return "  No measured item was dropped: what differs is chance.\n"
	case f.Gain == nil:
		return ""
	case *f.Gain <= 0:
		return fmt.Sprintf("  The choice did not raise the informative share (%s); on new rollouts it is %s above "+
			"that of all items.\n", message.Digits(*f.Gain), message.Digits(*f.Remains))
	}
	text := fmt.Sprintf("  The informative share seemed to rise by %s, and rises by %s on new rollouts",
		message.Digits(*f.Gain), message.Digits(*f.Remains))
	if *f.Remains >= *f.Gain {
		return text + ": the gain holds up.\n"
	}
	lost := min(1, (*f.Gain-*f.Remains) / *f.Gain)
	return text + fmt.Sprintf(": %s of the gain was selection bias: items chosen by their samples regress to "+
		"the mean.\n", message.Percent(lost))
}

func (c *Curation) summarizeFiles(w io.Writer) {
	if c.Written == nil {
		fmt.Fprintln(w, "\nNothing was written: --output names the file for the kept rows.")
		return
	}
	fmt.Fprintln(w, "\nWritten")
	if c.Written.Train != "" {
		fmt.Fprintf(w, "  %s: %s, byte for byte as in %s\n", c.Written.Train, count(c.Kept, "row"), c.File)
	}
	fmt.Fprintf(w, "  %s: every row, with its reason\n", c.Written.Table)
}

func count(n int, thing string) string { return message.Language{}.Count(n, thing) }
