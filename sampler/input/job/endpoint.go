package job

// GraderURLs returns the URLs that the job's grader, or a grader within it, posts to, in the order
// of the graders' names.
func (j *Job) GraderURLs() (urls []string) {
	j.eachGrader(func(_ string, g *graderNode) {
		if g.Type == "endpoint" && g.URL != "" {
			urls = append(urls, g.URL)
		}
	})
	return urls
}
