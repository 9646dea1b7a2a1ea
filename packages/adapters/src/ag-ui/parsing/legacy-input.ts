import { isObject } from "@parley/a2a";

type Properties = Readonly<Record<string, unknown>>;

const KINDS = ["image", "audio", "video"];

/**
 * A request as AG-UI 1.0 writes it, of one that says the same as clients did before: what is absent as `null`, and files
 * as `binary` parts. What it carries for somebody else (state, payloads, properties) stays as it is.
 */
export function upgradeLegacyInput(body: unknown): unknown {
  if (!isObject(body)) return body;
  const input = withoutNulls(body);
  return {
    ...input,
    ...each(input, "tools", withoutNulls),
    ...each(input, "resume", withoutNulls),
    ...each(input, "messages", upgradedMessage),
  };
}

function upgradedMessage(message: Properties): Properties {
  const upgraded = withoutNulls(message);
  return {
    ...upgraded,
    ...each(upgraded, "content", upgradedPart),
    ...each(upgraded, "toolCalls", withoutNulls),
  };
}

function upgradedPart(part: Properties): Properties {
  const { type, mimeType, data, url, filename } = part;
  if (type !== "binary" || typeof mimeType !== "string") return withoutNulls(part);
  const [family = ""] = mimeType.split("/");
  const source = data ? { type: "data", value: data } : { type: "url", value: url };
  return {
    type: KINDS.includes(family) ? family : "document",
    source: { ...source, mimeType },
    ...(typeof filename === "string" && { metadata: { filename } }),
  };
}

function each(value: Properties, name: string, change: (one: Properties) => Properties): Properties {
  const list = value[name];
  return Array.isArray(list) ? { [name]: list.map((one) => (isObject(one) ? change(one) : one)) } : {};
}

function withoutNulls(value: Properties): Properties {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== null));
}
