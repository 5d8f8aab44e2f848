package credential

import "testing"

func TestMaskURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.example.com/v1":                          "https://api.example.com/v1",
		"https://user:pass@h.example/x":                       "https://**********@h.example/x",
		"https://f.example/api/x?code=aa==&top=5&sig=b#c":     "https://f.example/api/x?code=**********&top=5&sig=**********#c",
		"https://f.example?api_key=k":                         "https://f.example?api_key=**********",
		"HTTPS://f.example/?x=1;Subscription-Key=k;y=2#token": "HTTPS://f.example/?x=1;Subscription-Key=**********;y=2#token",
		"https://us%zz:pass@h.example/%zz?token=k":            "https://**********@h.example/%zz?token=**********",
		"https://h.example/a=b/key=c?code=&sig":               "https://h.example/a=b/key=c?code=&sig",
		"https://h.example/mail@example.com?to=a@b.example":   "https://h.example/mail@example.com?to=a@b.example",
		"not a URL with code=secret":                          "not a URL with code=secret",
		"https://h.example/?token=https://a,https://b":        "https://h.example/?token=**********",
		"https://h.example/?list=a,b&key=k":                   "https://h.example/?list=a,b&key=**********",
		"":                                                    "",
	} {
		if got := MaskURL(in); got != want {
			t.Errorf("MaskURL(%q) = %q, want %q", in, got, want)
		}
	}
}

// Masking a URL twice is masking it once, and leaves none of its secrets.
func FuzzMaskURL(f *testing.F) {
	for _, seed := range []string{"https://u:secret-1@h/?code=secret-2#token=secret-3", "http://@h?=&;?sig=aaaaaaa", "x://%%@?key=%zz%zz%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		masked := MaskURL(text)
		if again := MaskURL(masked); again != masked {
			t.Errorf("%q is masked as %q, and that as %q", text, masked, again)
		}
		if len(urlCredentials(text)) != len(urlCredentials(masked)) {
			t.Errorf("%q and %q differ in where they hold credentials", text, masked)
		}
	})
}

func TestBareURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:pass@h.example/x?code=aa#token":                           "https://h.example/x",
		"https://h.example/v1?":                                                 "https://h.example/v1",
		"https://relay.example/x?to=https://a.example,https://b.example/SECRET": "https://relay.example/x",
		"https://h.example/%zz?token=k":                                         "(unreadable URL)",
	} {
		if got := BareURL(in); got != want {
			t.Errorf("BareURL(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestListsOfURLs(t *testing.T) {
	for _, c := range []struct{ in, masked, bare string }{
		{"nats://u:secret@a:4222, nats://b:4222", "nats://**********@a:4222,nats://b:4222", "nats://a:4222,nats://b:4222"},
		{"localhost:4222,nats://u:secret@h:4222", "localhost:4222,nats://**********@h:4222", "localhost:4222,nats://h:4222"},
		{"memory", "memory", "memory"},
	} {
		if got := MaskURLs(c.in); got != c.masked {
			t.Errorf("MaskURLs(%q) = %q, want %q", c.in, got, c.masked)
		}
		if got := BareURLs(c.in); got != c.bare {
			t.Errorf("BareURLs(%q) = %q, want %q", c.in, got, c.bare)
		}
	}
}
