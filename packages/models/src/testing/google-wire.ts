import { frame, type Wire, type WireFailure, type WireTurn } from "./wire.ts";

/** Google's Generative Language API, as a server speaks it; a call comes whole, with its signature. */
export const googleWire: Wire = {
  name: "google:gemini-2.5-flash",
  environment: (url, key) => ({ GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`, GEMINI_API_KEY: key }),
  keyOf: (headers) => headers["x-goog-api-key"],
  frames: (turn) => [...parts(turn).map((part) => chunk([part])), closing(turn)],
  wrongKey: (key) =>
    failure(400, "INVALID_ARGUMENT", `API key not valid: ${key}. Please pass a valid API key.`, [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ]),
  unknownModel: failure(404, "NOT_FOUND", "models/gemini-2.5-flash is not found for API version v1beta"),
  rateLimit: failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", [
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
  ]),
  overload: failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  overloadFrame: frame({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }),
};

function failure(code: number, status: string, message: string, details: unknown[] = []): WireFailure {
  return { status: code, body: { error: { code, message, status, details } } };
}

function parts({ thinking = [], text = [], calls = [] }: WireTurn): unknown[] {
  return [
    ...thinking.map((piece) => ({ text: piece, thought: true })),
    ...text.map((piece) => ({ text: piece })),
    ...calls.map(({ id, tool, pieces }) => ({
      functionCall: { id, name: tool, args: JSON.parse(pieces.join("")) as unknown },
      thoughtSignature: "signed",
    })),
  ];
}

function chunk(content: unknown[], more: object = {}): string {
  return frame({ candidates: [{ index: 0, content: { role: "model", parts: content }, ...more }] });
}

function closing({ end }: WireTurn): string {
  const usage = {
    promptTokenCount: 11,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 2,
    totalTokenCount: 18,
  };
  const candidate = {
    index: 0,
    content: { role: "model", parts: [] },
    finishReason: end === "length" ? "MAX_TOKENS" : "STOP",
  };
  return frame({ candidates: [candidate], usageMetadata: usage });
}
