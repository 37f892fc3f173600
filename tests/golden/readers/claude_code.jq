# What a Claude Code log holds, counted without the project's reader:
#   jq -s --arg want counts -f claude_code.jq LOG
#   jq -s -j --arg want first -f claude_code.jq LOG | sha256sum      (and last; of the main conversation)
def lines(side): map(select(.isSidechain == side));
def blocks(who; kind):
  map(select(.type == who and (.message.content | type) == "array") | .message.content[] | select(.type == kind));
def responses: map(select(.type == "assistant")) | group_by(.message.id) | sort_by(.[0].timestamp);
def texts: [.[].message.content[] | select(.type == "text").text] | join("\n");
def content_text: if type == "array" then map(select(.type == "text").text) | join("\n") else . // "" end;
def part(side): lines(side) | {
  turns: (responses | length),
  calls: (blocks("assistant"; "tool_use") | length),
  results: (blocks("user"; "tool_result") | length),
  errors: (blocks("user"; "tool_result") | map(select(.is_error == true)) | length),
  output_tokens: (responses | map(map(.message.usage.output_tokens // 0) | max) | add // 0)
};
if $want == "first" then lines(false) | responses | first | texts
elif $want == "last" then lines(false) | responses | last | texts
else {
  runs: (1 + (lines(true) | map(select(.parentUuid == null)) | length)),
  main: part(false),
  agents: part(true),
  agent_turns: (reduce lines(true)[] as $line ({};
      .root[$line.uuid] = (if $line.parentUuid == null then $line.uuid else .root[$line.parentUuid] end)
      | .root[$line.uuid] as $key
      | if $line.type == "assistant" then .ids[$key] = ((.ids[$key] // []) + [$line.message.id] | unique) else . end)
    | .ids // {} | map_values(length)),
  unanswered: ((blocks("assistant"; "tool_use") | map(.id)) - (blocks("user"; "tool_result") | map(.tool_use_id))
    | length),
  observation_chars: (blocks("user"; "tool_result") | map(.content | content_text | length) | add // 0),
  tools: (blocks("assistant"; "tool_use") | group_by(.name) | map({(.[0].name): length}) | add // {})
} end
