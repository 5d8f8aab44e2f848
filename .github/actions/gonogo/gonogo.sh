#!/usr/bin/env bash
# Installs PACKAGE, runs COMMAND with ARGS, and puts its Markdown into the job summary. Puts out the exit code, with
# which the action ends later, and the folder of the report, whose card is summary.png.
set -euo pipefail
out=$RUNNER_TEMP/gonogo
rm -rf "$out" && mkdir -p "$out"
if [ -n "$PACKAGE" ]; then
  python3 -m venv "$out/venv"
  "$out/venv/bin/pip" install --quiet --disable-pip-version-check -- "$PACKAGE"
  PATH=$out/venv/bin:$PATH
fi
args=()
if [ -n "${ARGS//[[:space:]]/}" ]; then
  # Each argument gets an x before it, so that an empty one is a line, too.
  words=$(xargs -n1 printf 'x%s\n' <<<"$ARGS") || { echo "::error title=gonogo::args has an unmatched quote" && exit 2; }
  while IFS= read -r arg; do args+=("${arg#x}"); done <<<"$words"
fi
set -- ${args[@]+"${args[@]}"} # bash 3.2 of macOS takes an empty list for an unset one

code=0 report=$out/run/report
case $COMMAND in
run) gonogo run "$@" -o "$out/run" --yes || code=$? ;;
compare) report=$out/compared && gonogo compare "$@" -o "$report" || code=$? ;;
nightly) report=$HISTORY/report && gonogo nightly "$@" --history "$HISTORY" --yes || code=$? ;;
*) echo "::error title=gonogo::the command $COMMAND is not run, compare or nightly" && exit 2 ;;
esac
markdown=$report/report.md
if [ "$COMMAND" = nightly ]; then
  markdown=$out/nights.md
  gonogo history "$HISTORY" --markdown >"$markdown" || true
fi
if [ ! -s "$markdown" ]; then
  markdown=$out/none.md
  echo "gonogo $COMMAND ended with exit code $code and wrote no report." >"$markdown"
fi
# A summary may have 1 MiB, a comment 65,536 characters.
head -c 1000000 "$markdown" >>"$GITHUB_STEP_SUMMARY"
head -c 60000 "$markdown" >"$out/comment.md"
{ echo "code=$code" && echo "report=$report"; } >>"$GITHUB_OUTPUT"
case $COMMAND-$code in
*-0) ;;
run-3) echo "::error title=gonogo::NO-GO: see the job summary" ;;
run-4) echo "::error title=gonogo::UNDECIDED: see the job summary" ;;
*-3) echo "::error title=gonogo::regressed, or not better: see the job summary" ;;
*-4) echo "::error title=gonogo::cannot tell whether it regressed: see the job summary" ;;
*) echo "::error title=gonogo::gonogo $COMMAND ended with exit code $code" ;;
esac
