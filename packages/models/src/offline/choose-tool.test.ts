import { describe, expect, it } from "vitest";
import { converse, type WorkingTool } from "./testing/converse.ts";
import { crew } from "./testing/crew.ts";
import { ticketTools } from "./testing/ticket-tools.ts";
import {
  calendar,
  clock,
  cluster,
  deliveries,
  files,
  knowledge,
  mail,
  notebook,
  repository,
  shop,
  units,
  weather,
} from "./testing/tool-sets.ts";

async function firstCalls(tools: readonly WorkingTool[], ...said: string[]) {
  const { turns } = await converse(tools, said);
  return (turns[0] ?? []).map((call) => [call.tool, call.arguments]);
}

describe("the offline model finds the tool and its arguments", () => {
  it.each(
    (
      [
        [repository, "show the history", "git_log", {}],
        [repository, "show me the log of branch main", "git_log", { branch: "main" }],
        [repository, "what changed between v1.0 and v1.1?", "git_diff", { base: "v1.0", head: "v1.1" }],
        [
          repository,
          "create a branch called feature/login from main",
          "git_create_branch",
          { branch_name: "feature/login", from: "main" },
        ],
        [
          repository,
          'commit everything with message "Fix the door"',
          "git_commit",
          { message: "Fix the door" },
        ],
        [repository, "checkout main", "git_checkout", { branch: "main" }],
        [
          mail,
          'send an email to ann@example.org with subject "Hello" and body "See you"',
          "sendEmail",
          { to: "ann@example.org", subject: "Hello", body: "See you" },
        ],
        [mail, "list unread mails", "listInbox", { unreadOnly: true }],
        [mail, "any mails since 3 March 2026?", "listInbox", { since: "2026-03-03" }],
        [
          calendar,
          "schedule a meeting called Retro on 2026-05-01 with Ann, Bo and Cy for 30 minutes",
          "schedule_meeting",
          { title: "Retro", date: "2026-05-01", attendees: ["Ann", "Bo", "Cy"], duration_minutes: 30 },
        ],
        [calendar, "list meetings on May 1st, 2026", "list_meetings", { date: "2026-05-01" }],
        [
          cluster,
          "scale deployment web to 3 replicas in namespace prod",
          "scale_deployment",
          { deployment: "web", replicas: 3, namespace: "prod" },
        ],
        [cluster, "list pods in kube-system", "get_pods", { namespace: "kube-system" }],
        [cluster, "what pods are there?", "get_pods", {}],
        [cluster, "show the logs of pod web-7f9c", "get_logs", { pod: "web-7f9c" }],
        [cluster, "please restart the web deployment", "restart_deployment", { deployment: "web" }],
        [knowledge, "search the docs for retry policy", "search_docs", { query: "retry policy" }],
        [knowledge, "Please look up webhooks in the documentation", "search_docs", { query: "webhooks" }],
        [
          knowledge,
          "how many vacation days does the handbook give?",
          "handbook_expert",
          { query: "how many vacation days does the handbook give?" },
        ],
        [files, "read ./notes/today.md", "read_file", { path: "./notes/today.md" }],
        [
          files,
          'search for "launch code" in the directory /srv/docs',
          "search_files",
          { query: "launch code", directory: "/srv/docs" },
        ],
        [files, "delete /tmp/x.log without force", "delete_file", { path: "/tmp/x.log", force: false }],
        [units, "convert 10 km to miles", "convertUnits", { value: 10, fromUnit: "km", toUnit: "miles" }],
        [units, "how many feet are 3 m?", "convertUnits", { value: 3, fromUnit: "m", toUnit: "feet" }],
        [weather, "forecast for Rome, 3 days", "get_forecast", { city: "Rome", days: 3 }],
        [deliveries, "which version does the server run?", "version_service__version", {}],
        [deliveries, "sync application shop", "application_service__sync", { name: "shop" }],
        [ticketTools(), "show all tickets", "list_tickets", {}],
        [ticketTools(), "show ticket 2", "get_ticket", { ticket_id: 2 }],
        [
          ticketTools(),
          "I need a new ticket titled Door squeaks, high priority",
          "create_ticket",
          { title: "Door squeaks", priority: "high" },
        ],
        [
          shop,
          "find garden gnomes under 20 euros",
          "searchProducts",
          { query: "gnomes", category: "garden", maxPrice: 20 },
        ],
        [
          shop,
          "search for wooden trains in toys",
          "searchProducts",
          { query: "wooden trains", category: "toys" },
        ],
        [shop, "add 2 of product AB-12 to my cart", "addToCart", { productId: "AB-12", quantity: 2 }],
        [shop, "what's in my cart?", "getCart", {}],
        [
          shop,
          'order everything to "1 Main Street" express',
          "placeOrder",
          { address: "1 Main Street", express: true },
        ],
        [clock, "what time is it?", "current_time", {}],
        [clock, "what time is it in Europe/Berlin?", "current_time", { timezone: "Europe/Berlin" }],
        [
          clock,
          "convert 10:00 from Europe/Berlin to Asia/Tokyo",
          "convert_time",
          { time: "10:00", from_timezone: "Europe/Berlin", to_timezone: "Asia/Tokyo" },
        ],
        [notebook, "add a note: buy bread", "add_note", { text: "buy bread" }],
        [notebook, "find notes about bread", "search_notes", { keyword: "bread" }],
        [notebook, "please remove note 3", "delete_note", { id: 3 }],
        [crew, "When is high tide?", "harbour_pilot", { message: "When is high tide?" }],
      ] as const
    ).map(([tools, said, name, args]) => ({ said, tools, name, args })),
  )("$said", async ({ tools, said, name, args }) => {
    expect(await firstCalls(tools, said)).toEqual([[name, args]]);
  });
});
