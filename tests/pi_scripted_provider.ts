// A model for Pi that answers from a script, so that the real program runs the real extension without any network.
import { fauxAssistantMessage, fauxText, fauxToolCall, registerFauxProvider } from "@mariozechner/pi-ai";

const call = (name: string, given: object, id: string) => fauxToolCall(name, given as any, { id });

export default function (pi: any) {
  const scripted = registerFauxProvider({ api: "scripted", provider: "scripted", models: [{ id: "scripted-1" }] });
  scripted.setResponses([
    fauxAssistantMessage([call("tab_add", { items: ["hotel rates"] }, "c1")], { stopReason: "toolUse" }),
    fauxAssistantMessage([call("bash", { command: "ls" }, "c2"), call("read", { path: "hotel_rates.txt" }, "c3")], {
      stopReason: "toolUse",
    }),
    fauxAssistantMessage([fauxText("Done: 240 EUR.")]),
    fauxAssistantMessage([call("tab_resolve", { id: "r1", status: "done", entry: "L1" }, "c4")], {
      stopReason: "toolUse",
    }),
    fauxAssistantMessage([fauxText("Delivered: 240 EUR.")]),
  ]);
  pi.registerProvider("scripted", {
    baseUrl: "http://127.0.0.1:9",
    apiKey: "none",
    api: "scripted",
    models: [
      {
        id: "scripted-1",
        name: "Scripted",
        reasoning: false,
        input: ["text"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 100000,
        maxTokens: 1000,
      },
    ],
  });
}
