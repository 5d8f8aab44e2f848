// Package spelling serves the gonogo command; its API may change in any release.
//
// It finds the name that was probably meant, and puts choices of names into words.
//
// In: a name that is not in a list. Out: the nearest name in the list, or the end of a sentence
// that suggests it.
package spelling

import (
	"fmt"
	"strings"
)

// Suggest returns the name nearest to a misspelled one, by letters inserted, deleted, replaced or
// swapped; ok is false if none is near enough. The first of equally near names wins.
func Suggest(mistyped string, names []string) (name string, ok bool) {
	word := []rune(mistyped)
	best := max(1, len(word)/3) + 1
	for _, n := range names {
		other := []rune(n)
		if difference := len(word) - len(other); max(difference, -difference) >= best {
			continue // it takes at least that many insertions or deletions
		}
		if d := distance(word, other); d < best {
			best, name, ok = d, n, true
		}
	}
	return name, ok
}

// distance is the optimal string alignment distance: insertions, deletions, replacements and swaps
// of neighbours cost 1 (F. Damerau, CACM 7(3), 1964, doi:10.1145/363958.363994; restricted to one
// edit per position).
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// DidYouMean suggests the name that was probably meant, as the end of a sentence; "" if none is
// similar.
func DidYouMean(mistyped string, names []string) string {
	if name, ok := Suggest(mistyped, names); ok {
		return fmt.Sprintf(", did you mean %s?", name)
	}
	return ""
}

// OrList returns a choice in words: a, b or c.
func OrList(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Choices returns the end of a message about a name that is not in the list.
func Choices(mistyped string, names []string) string {
	if hint := DidYouMean(mistyped, names); hint != "" {
		return hint + " The choices are " + strings.Join(names, ", ")
	}
	return "; the choices are " + strings.Join(names, ", ")
}
