// The tab for Pi: a status line under each result, four tools, one finish check before the agent ends.
// Written by `runningtab install pi`; `runningtab uninstall pi` removes it.
import { spawn, spawnSync } from "node:child_process";

const settings = "@settings@";

const patience = 20000;
const [program, ...given] = settings.command;

/** The text of an answer of `runningtab hook pi`; "" where it says nothing. The hook never fails, nor does this. */
function textOfAnswer(said: string): string {
  try {
    return String(JSON.parse(said).text ?? "");
  } catch {
    return "";
  }
}

/** Tells the hook of an event and waits for its answer while other work goes on. */
function ask(event: object): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    try {
      const child = spawn(program, given, { stdio: ["pipe", "pipe", "ignore"] });
      const timer = setTimeout(() => child.kill(), patience);
      child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
      child.on("error", () => resolve(""));
      child.on("close", () => {
        clearTimeout(timer);
        resolve(textOfAnswer(said));
      });
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(event));
    } catch {
      resolve("");
    }
  });
}

/** The same, and nothing else happens meanwhile: Pi does not wait for its handlers of a message's end. */
function askAtOnce(event: object): string {
  try {
    const options = { input: JSON.stringify(event), encoding: "utf8" as const, timeout: patience };
    return textOfAnswer(spawnSync(program, given, options).stdout ?? "");
  } catch {
    return "";
  }
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

  pi.on("message_end", (event: any, ctx: any) => {
    const message = event.message;
    if (message.role !== "assistant" || message.stopReason !== "stop") return undefined;
    if (message.content.some((block: any) => block.type === "toolCall")) return undefined;
    const content = askAtOnce({ event: "stop", ...about(ctx) });
    if (content) {
      const told = { customType: "runningtab", content, display: true };
      pi.sendMessage(told, { deliverAs: "followUp", triggerTurn: true });
    }
    return undefined;
  });
}
