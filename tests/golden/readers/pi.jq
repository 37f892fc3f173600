# What a Pi log holds, counted without the project's reader. Slurped, so that glued records count:
#   jq -s --arg want counts -f pi.jq LOG
#   jq -s -j --arg want first -f pi.jq LOG | sha256sum      (and last)
def responses: map(select(.message.role == "assistant"));
def calls: responses | map(.message.content[] | select(.type == "toolCall"));
def results: map(select(.message.role == "toolResult"));
def texts: [.message.content[] | select(.type == "text").text] | join("\n");
if $want == "first" then responses | first | texts
elif $want == "last" then responses | last | texts
else {
  runs: 1,
  turns: (responses | length),
  calls: (calls | length),
  results: (results | length),
  prompts: (map(select(.message.role == "user")) | length),
  shells: (map(select(.message.role == "bashExecution")) | length),
  compactions: (map(select(.type == "compaction")) | length),
  aborted: (map(select(.message.stopReason == "aborted")) | length),
  failed: (map(select(.message.stopReason == "error")) | length),
  unanswered: ((calls | map(.id)) - (results | map(.message.toolCallId)) | length),
  orphans: ((results | map(.message.toolCallId)) - (calls | map(.id)) | length),
  errors: (results | map(select(.message.isError)) | length),
  output_tokens: (responses | map(.message.usage.output) | add),
  observation_chars: (results | map(texts | length) | add),
  tools: (calls | group_by(.name) | map({(.[0].name): length}) | add)
} end
