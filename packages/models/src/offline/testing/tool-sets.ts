import type { WorkingTool } from "./converse.ts";
import { date, flag, integer, number, text, tool } from "./tool-definition.ts";

const degrees: Readonly<Record<string, number>> = { Lund: 7, Paris: 12, Rome: 19, "New York": 3 };

export const weather: readonly WorkingTool[] = [
  tool(
    "get_weather",
    "Current weather at a place.",
    {
      city: { ...text, description: "Name of the city" },
      unit: { ...text, enum: ["celsius", "fahrenheit"] },
    },
    {
      required: ["city"],
      run: ({ city }) => {
        const found = degrees[String(city)];
        if (found === undefined) throw new Error(`no station in ${String(city)}`);
        return { city, degrees: found, sky: "clear" };
      },
    },
  ),
  tool(
    "get_forecast",
    "Weather forecast for the coming days.",
    { city: text, days: { ...integer, minimum: 1, maximum: 10 } },
    { run: ({ city, days }) => `Forecast for ${String(city)} over ${String(days)} days: dry.` },
  ),
];

const length = { ...text, enum: ["m", "km", "miles", "feet"] };
const metres: Readonly<Record<string, number>> = { m: 1, km: 1000, miles: 1609.344, feet: 0.3048 };

export const units: readonly WorkingTool[] = [
  tool(
    "convertUnits",
    "Converts a length from one unit to another.",
    { value: number, fromUnit: length, toUnit: length },
    {
      run: ({ value, fromUnit, toUnit }) =>
        (Number(value) * (metres[String(fromUnit)] ?? 0)) / (metres[String(toUnit)] ?? 1),
    },
  ),
];

export const files: readonly WorkingTool[] = [
  tool("read_file", "Reads a text file.", { path: text }),
  tool(
    "search_files",
    "Searches files for a text.",
    { query: text, directory: text, case_sensitive: flag },
    { required: ["query"] },
  ),
  tool("delete_file", "Deletes a file.", { path: text, force: flag }, { required: ["path"] }),
];

export const repository: readonly WorkingTool[] = [
  tool("git_log", "Shows the commit history.", { branch: text, max_count: integer }, { required: [] }),
  tool("git_diff", "Shows changes between two revisions.", { base: text, head: text }),
  tool(
    "git_create_branch",
    "Creates a branch.",
    { branch_name: text, from: text },
    { required: ["branch_name"] },
  ),
  tool(
    "git_commit",
    "Records changes with a message.",
    { message: text, all: flag },
    { required: ["message"] },
  ),
  tool("git_checkout", "Switches to a branch.", { branch: text }),
];

export const mail: readonly WorkingTool[] = [
  tool("sendEmail", "Send an email", { to: { ...text, format: "email" }, subject: text, body: text }),
  tool("listInbox", "List mails in the inbox", { unreadOnly: flag, since: date }, { required: [] }),
];

export const calendar: readonly WorkingTool[] = [
  tool(
    "schedule_meeting",
    "Schedules a meeting",
    { title: text, date, attendees: { type: "array", items: text }, duration_minutes: integer },
    { required: ["title", "date"] },
  ),
  tool("list_meetings", "Lists meetings on a date", { date }),
];

const ofDeployment = { deployment: text, replicas: { ...integer, minimum: 0 }, namespace: text };

export const cluster: readonly WorkingTool[] = [
  tool("scale_deployment", "Scales a deployment to a number of replicas", ofDeployment, {
    required: ["deployment", "replicas"],
  }),
  tool("get_pods", "Lists pods in a namespace", { namespace: text }, { required: [] }),
  tool("get_logs", "Fetches the logs of a pod", { pod: text, tail: integer }, { required: ["pod"] }),
  tool("delete_pod", "Deletes a pod", { pod: text, namespace: text }, { required: ["pod"] }),
  tool("restart_deployment", "Restarts a deployment", { deployment: text }),
];

const shops = [
  { name: "shop", health: "Healthy" },
  { name: "blog", health: "Degraded" },
];

export const deliveries: readonly WorkingTool[] = [
  tool(
    "version_service__version",
    "Returns the version of the delivery server.",
    {},
    {
      run: () => ({ Version: "v3.1.4", BuildDate: "2026-02-03" }),
    },
  ),
  tool(
    "application_service__list",
    "Lists the delivered applications.",
    { project: text },
    {
      required: [],
      run: () => shops,
    },
  ),
  tool("application_service__get", "Shows one application.", { name: text }),
  tool(
    "application_service__sync",
    "Synchronises an application with its source.",
    { name: text, revision: text },
    {
      required: ["name"],
      run: ({ name }) => `${String(name)} is in sync`,
    },
  ),
];

export const knowledge: readonly WorkingTool[] = [
  tool("search_docs", "Search the documentation", { query: text, limit: integer }, { required: ["query"] }),
  tool("handbook_expert", "Answers questions about the handbook and company policy", {
    query: { ...text, description: "The user's question in natural language" },
  }),
];

export const shop: readonly WorkingTool[] = [
  tool(
    "searchProducts",
    "Search the product catalogue",
    { query: text, maxPrice: number, category: { ...text, enum: ["books", "toys", "garden"] } },
    { required: ["query"] },
  ),
  tool("addToCart", "Add a product to the shopping cart", {
    productId: text,
    quantity: { ...integer, minimum: 1 },
  }),
  tool("getCart", "Show the shopping cart", {}),
  tool(
    "placeOrder",
    "Place the order for everything in the cart",
    { address: text, express: flag },
    { required: ["address"] },
  ),
];

export const clock: readonly WorkingTool[] = [
  tool("current_time", "Returns the current time in a timezone", { timezone: text }, { required: [] }),
  tool("convert_time", "Converts a time between timezones", {
    time: text,
    from_timezone: text,
    to_timezone: text,
  }),
];

export const notebook: readonly WorkingTool[] = [
  tool("add_note", "Add a note to the notebook", { text }),
  tool("list_notes", "List all notes", {}),
  tool("search_notes", "Search notes by keyword", { keyword: text }),
  tool("delete_note", "Delete a note by id", { id: integer }),
];
