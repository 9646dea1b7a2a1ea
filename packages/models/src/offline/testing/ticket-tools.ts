import type { WorkingTool } from "./converse.ts";
import { integer, text, tool } from "./tool-definition.ts";

interface Ticket {
  readonly id: number;
  readonly title: string;
  readonly priority: string;
  state: string;
  assignee?: string;
}

/** A tracker of its own, with two tickets in it. */
export function ticketTools(): WorkingTool[] {
  const tickets: Ticket[] = [
    { id: 1, title: "Printer on fire", priority: "high", state: "open" },
    { id: 2, title: "Coffee is cold", priority: "low", state: "open" },
  ];
  const found = ({ ticket_id: id }: Readonly<Record<string, unknown>>): Ticket => {
    const ticket = tickets.find((one) => one.id === id);
    if (ticket === undefined) throw new Error(`there is no ticket ${String(id)}`);
    return ticket;
  };
  const ticket_id = { ...integer, minimum: 1, description: "The ticket's number" };
  const priority = { ...text, enum: ["low", "medium", "high"] };
  return [
    tool("list_tickets", "Lists all tickets.", {}, { run: () => tickets }),
    tool("get_ticket", "Shows one ticket.", { ticket_id }, { run: found }),
    tool(
      "create_ticket",
      "Creates a new ticket.",
      { title: text, priority },
      {
        required: ["title"],
        run: ({ title, priority: chosen = "medium" }) => {
          const ticket = {
            id: tickets.length + 1,
            title: String(title),
            priority: String(chosen),
            state: "open",
          };
          tickets.push(ticket);
          return ticket;
        },
      },
    ),
    tool(
      "close_ticket",
      "Closes a ticket.",
      { ticket_id },
      { run: (args) => Object.assign(found(args), { state: "closed" }) },
    ),
    tool(
      "assign_ticket",
      "Assigns a ticket to a person.",
      { ticket_id, assignee: text },
      {
        run: (args) => Object.assign(found(args), { assignee: args.assignee }),
      },
    ),
  ];
}
