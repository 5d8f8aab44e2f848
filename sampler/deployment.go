package sampler

import (
	"net/http"
	"strings"

	"gonogo/sampler/rollout/credential"
)

// ServedBy adds to a model's name what the headers of an answer say about its origin. LiteLLM
// answers under the requested alias, and only its headers distinguish the deployments behind that
// alias (litellm 1.108, x-litellm-*).
func ServedBy(name string, header http.Header) string {
	parts := []string{name, header.Get("X-Litellm-Model-Id")}
	if base := header.Get("X-Litellm-Model-Api-Base"); base != "" {
		parts = append(parts, credential.BareURL(base))
	}
	const maxBytes = 200 // it is recorded with every rollout
	all := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	return strings.ToValidUTF8(all[:min(len(all), maxBytes)], "")
}
