package report

import (
	"os"
	"testing"
)

func TestTmpHistory(t *testing.T) {
	for n, name := range map[int]string{3: "h3", 12: "h12", 40: "h40"} {
		p := NewHistoryPage(nightsOf(n, dated), Options{Version: "1.2.3"})
		os.WriteFile("/tmp/w/pictures/"+name+".html", written(t, writeHTML, Page(p)), 0o644)
		os.WriteFile("/tmp/w/pictures/"+name+".png", written(t, writeCard, Page(p)), 0o644)
	}
}
