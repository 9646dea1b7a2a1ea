// An MCP server in one file, without packages: JSON-RPC, one message a line, on standard input and output.
// What a tool does is in `tools`; everything below it stays as it is when you write your own.
import { createInterface } from "node:readline";

/** @type {Map<string, number>} */
const stock = new Map([
  ["apples", 12],
  ["pears", 3],
  ["plums", 0],
]);

const item = { type: "string", enum: [...stock.keys()], description: "The item." };

/** @type {Record<string, { about: object, call: (given: Record<string, unknown>) => string }>} */
const tools = {
  get_stock: {
    about: {
      description: "Says how many of an item are in stock.",
      inputSchema: { type: "object", properties: { item }, required: ["item"] },
      annotations: { readOnlyHint: true },
    },
    call: ({ item: name }) => `${countOf(String(name))} ${name} are in stock.`,
  },
  order_stock: {
    about: {
      description: "Orders more of an item.",
      inputSchema: {
        type: "object",
        properties: { item, quantity: { type: "integer", description: "How many to order.", minimum: 1 } },
        required: ["item", "quantity"],
      },
      annotations: { readOnlyHint: false },
    },
    call: ({ item: name, quantity }) => {
      const count = countOf(String(name)) + Number(quantity);
      stock.set(String(name), count);
      return `${quantity} ${name} were ordered: there will be ${count}.`;
    },
  },
};

/** @param {string} name */
function countOf(name) {
  const count = stock.get(name);
  if (count === undefined)
    throw new Error(`There is no item ${name}: there are ${[...stock.keys()].join(", ")}.`);
  return count;
}

/**
 * @param {string} method
 * @param {Record<string, any>} given
 */
function answer(method, given) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: given.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "stock", version: "1.0.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: Object.entries(tools).map(([name, { about }]) => ({ name, ...about })) };
    case "tools/call":
      return called(given.name, given.arguments ?? {});
    default:
      return undefined;
  }
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} given
 */
function called(name, given) {
  try {
    const tool = tools[name];
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return { content: [{ type: "text", text: tool.call(given) }] };
  } catch (error) {
    // What goes wrong is an answer too: the agent reads it, and may try something else.
    return {
      isError: true,
      content: [{ type: "text", text: String(error instanceof Error ? error.message : error) }],
    };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) continue; // A notification: nobody waits for an answer.
  const result = answer(method, params);
  const outcome = result ? { result } : { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}
