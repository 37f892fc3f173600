# What an ATIF file holds, counted without the project's reader:
#   jq --arg want counts -f atif.jq FILE
#   jq -j --arg want first -f atif.jq FILE | sha256sum      (and last)
# Every response has metrics once; calls written as text are those of Terminus (one JSON object a message).
def own: .steps | map(select(.is_copied_context != true));
def agent: own | map(select(.source == "agent"));
def results: own | map(.observation.results // [] | .[]) | map(select(has("content")));
def written: .message | try (fromjson | (.commands | length) + (if .task_complete then 1 else 0 end)) catch 0;
if $want == "first" then agent | first | .message
elif $want == "last" then agent | last | .message
else {
  runs: 1,
  steps: (.steps | length),
  turns: (agent | map(select(.metrics)) | length),
  calls: (agent | map(.tool_calls // [] | length) | add),
  written_calls: (agent | map(select(.tool_calls | not) | written) | add // 0),
  results: (results | length),
  unlinked_results: (results | map(select(has("source_call_id") | not)) | length),
  copied: (.steps | map(select(.is_copied_context)) | length),
  users: (own | map(select(.source == "user")) | length),
  continued: (own | map(select(.source == "user" and (.message | startswith("This session is being continued"))))
    | length),
  other_logs: ((.steps | map(.observation.results // [] | .[] | .subagent_trajectory_ref // [] | length) | add // 0)
    + (if .continued_trajectory_ref then 1 else 0 end)),
  output_tokens: (.steps | map(.metrics.completion_tokens // 0) | add),
  prompt_tokens: (.steps | map(.metrics.prompt_tokens // 0) | add),
  untimed: (.steps | map(select(has("timestamp") | not)) | length),
  observation_chars: (results | map(.content | length) | add // 0)
} end
