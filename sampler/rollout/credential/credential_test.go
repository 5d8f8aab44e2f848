package credential

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesThatSpeakOfCredentials(t *testing.T) {
	for why, names := range map[string]string{
		"keys":                   "key api_key api-key apiKey APIKey APIkey apikey x_api_key X-ApiKey apiKEY api_keys apikeys api.key access_key AWSAccessKeyId",
		"keys of hosts":          "Ocp-Apim-Subscription-Key subscription-key subscriptionkey x-functions-key code sig signature X-Amz-Signature X-Amz-Credential",
		"tokens":                 "token api_token accessToken accesstoken access_token id_token bearer X-Auth-Token2 auth[token] jwt",
		"secrets":                "secret client_secret clientSecret secrets password passwd pwd passphrase pass db_password PASSWORD credential credentials",
		"authentication":         "auth oauth oauth2 Authorization Proxy-Authorization auth_header authKey basic-auth access_code",
		"sessions":               "session session_id sessionid JSESSIONID PHPSESSID Cookie Set-Cookie",
		"what the two lists had": "apikey accesskey accesstoken token secret clientsecret password authorization bearer code key sig signature",
	} {
		for name := range strings.FieldsSeq(names) {
			if !InName(name) {
				t.Errorf("%s: %q does not speak of a credential", why, name)
			}
		}
	}
	for why, names := range map[string]string{
		"other words":           "monkey turkey keyword keywords author authors authority tokens max_tokens max_completion_tokens tokenizer secretary decode encoding postcode sessions design barcode passing_labels pass_threshold accession",
		"about credentials":     "token_type auth_mode auth-method api_key_env key_name token_url token_count token_limit",
		"keys of a job":         "model training_file validation_file suffix seed method type reinforcement tools name server_url headers rate_limit grader url graders input reference operation calculate_output source range sampling_params labels response_format max_episode_steps hyperparameters reasoning_effort",
		"parameters and others": "api-version top q page limit id user trace_id environment tenant x",
		"no letters":            "- _ 7",
	} {
		for name := range strings.FieldsSeq(names) {
			if InName(name) {
				t.Errorf("%s: %q speaks of a credential", why, name)
			}
		}
	}
	if InName("") {
		t.Error("no name at all speaks of a credential")
	}
}

func TestIsSecret(t *testing.T) {
	for why, c := range map[string]struct {
		name, value string
		want        bool
	}{
		"a key":                                  {"key", "PLANTED111", true},
		"of five bytes, which would hit words":   {"api_key", "ab-12", false},
		"of six":                                 {"api_key", "ab-123", true},
		"a password that is a word":              {"password", "sesame", true},
		"an API key that is a word":              {"x_api_key", "sesame", true},
		"a language under code":                  {"code", "Python", false},
		"a right under access":                   {"access", "public", false},
		"letters as no word has them":            {"code", "PLANTEDCODE", true},
		"more letters than a word has":           {"code", "abcdefghijklmnopq", true},
		"a value under a name that says nothing": {"environment", "env-4711-abcd", false},
	} {
		if got := Is(c.name, c.value); got != c.want {
			t.Errorf("%s: Is(%q, %q) = %v", why, c.name, c.value, got)
		}
	}
}

func TestHeaderSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		header, value string
		want          []string
	}{
		"a bearer token, with and without its scheme": {"Authorization", "Bearer abc-123", []string{"Bearer abc-123", "abc-123"}},
		"user and password, also decoded":             {"Authorization", "Basic dXNlcjpzZXNhbWU=", []string{"Basic dXNlcjpzZXNhbWU=", "dXNlcjpzZXNhbWU=", "user:sesame", "sesame"}},
		"a scheme that is no base64":                  {"Authorization", "basic not-base64", []string{"basic not-base64", "not-base64"}},
		"a key in its own header":                     {"api-key", "ab-123", []string{"ab-123"}},
		"a content type":                              {"Content-Type", "application/json", nil},
		"harmless in another spelling":                {"user_agent", "agent-4711-abcd", nil},
		"five letters, which many a text holds":       {"X-Api-Key", "abcde", nil},
		"a short key alone, its scheme with it":       {"Authorization", "Bearer abc", []string{"Bearer abc"}},
		"an environment's name is a plain word":       {"X-Environment", "production", nil},
		"a word that is no password":                  {"X-Session", "production", nil},
		"a tenant":                                    {"X-Tenant", "t-4711-abcd", nil},
		"a tenant that is a UUID":                     {"X-Tenant", "0b6c1f2e-93ad-4b1f-8a7e-2d5c9e1f0a3b", nil},
		"a version":                                   {"x-api-version", "2024-10-01-preview", nil},
		"a region":                                    {"x-region", "us-east-1", nil},
		"a host":                                      {"X-Forwarded-Host", "tools.staging.example.com", nil},
		"what looks like a key under any name":        {"X-Custom", "sk-0123456789abcdef", []string{"sk-0123456789abcdef"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, InHeader(c.header, c.value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
