// The tab for Pi: a status line under each result, four tools, one finish check before the agent ends.
// Written by `runningtab install pi`; `runningtab uninstall pi` removes it.
import { spawn } from "node:child_process";

const settings = "@settings@";

/** What `runningtab hook pi` answers to one event; "" where it says nothing. It never fails, nor does this. */
function ask(event: object): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const done = () => {
      try {
        resolve(String(JSON.parse(said).text ?? ""));
      } catch {
        resolve("");
      }
    };
    try {
      const [program, ...given] = settings.command;
      const child = spawn(program, given, { stdio: ["pipe", "pipe", "ignore"] });
      const timer = setTimeout(() => child.kill(), 20000);
      child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
      child.on("error", done);
      child.on("close", () => {
        clearTimeout(timer);
        done();
      });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(event));
    } catch {
      done();
    }
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter((block) => block.type === "text").map((block) => block.text).join("\n");
}

export default function (pi: any) {
  let response = "";
  const about = (ctx: any) => ({ session: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, response });

  for (const tool of settings.tools) {
    pi.registerTool({
      ...tool,
      label: tool.name,
      async execute(id: string, given: object, _signal: unknown, _update: unknown, ctx: any) {
        const told = { event: "operation", id, name: tool.name, arguments: given, ...about(ctx) };
        const text = (await ask(told)) || "Refused: the tab cannot be reached.";
        return { content: [{ type: "text", text }], details: {} };
      },
    });
  }

  pi.on("before_agent_start", async (event: any, ctx: any) => {
    await ask({ event: "prompt", text: event.prompt, ...about(ctx) });
    return { systemPrompt: `${event.systemPrompt}\n\n${settings.system}` };
  });

  pi.on("turn_start", (event: any) => {
    response = String(event.timestamp);
  });

  pi.on("tool_result", async (event: any, ctx: any) => {
    if (settings.tools.some((tool: any) => tool.name === event.toolName)) return undefined;
    const call = { id: event.toolCallId, name: event.toolName, arguments: event.input };
    const result = { text: textOf(event.content), is_error: event.isError };
    const line = await ask({ event: "result", ...call, ...result, ...about(ctx) });
    return line ? { content: [...event.content, { type: "text", text: line }] } : undefined;
  });

  pi.on("turn_end", async (event: any, ctx: any) => {
    const message = event.message;
    const goesOn = message.stopReason !== "stop" || message.content.some((block: any) => block.type === "toolCall");
    if (goesOn) return;
    const content = await ask({ event: "stop", ...about(ctx) });
    if (!content) return;
    pi.sendMessage({ customType: "runningtab", content, display: true }, { deliverAs: "followUp", triggerTurn: true });
  });
}
