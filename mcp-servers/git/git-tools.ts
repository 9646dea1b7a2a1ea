import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answer, orFailure, readsOnly } from "../tool-answer.ts";
import type { Repository } from "./repository.ts";

const revision = z.string().describe("A branch, tag, commit hash, or an expression like HEAD~2.");
const path = z.string().describe("A file or folder inside the repository, like src/main.ts.");
const annotations = { ...readsOnly, openWorldHint: false };
const commit = z.object({ hash: z.string(), author: z.string(), date: z.string(), subject: z.string() });
const text = z.object({ text: z.string() });

/** A server with tools that read one repository. */
export function gitServer(repository: Repository): McpServer {
  const server = new McpServer({ name: "git", version: "1.0.0" });
  server.registerTool(
    "status",
    {
      title: "Status",
      description:
        "Shows the current branch and which files are changed, staged or untracked in the working tree.",
      inputSchema: z.object({}),
      outputSchema: z.object({
        branch: z.string(),
        files: z.array(z.object({ state: z.string(), path: z.string() })),
      }),
      annotations,
    },
    (_, { mcpReq }) =>
      orFailure(async () => {
        const status = await repository.status(mcpReq.signal);
        const files = status.files.map((file) => `${file.state.padEnd(2)} ${file.path}`).join("\n");
        return answer(`On ${status.branch}\n${files || "Nothing is changed."}`, { ...status });
      }),
  );
  server.registerTool(
    "log",
    {
      title: "History",
      description:
        "Lists commits, newest first: the history of the repository or of one file, the last or latest commits, " +
        "who committed what and when; can be filtered by author or by words of the message.",
      inputSchema: z.object({
        revision: revision.optional().describe("Where to start; HEAD when left out."),
        path: path.optional().describe("Only commits that changed this file or folder."),
        author: z.string().optional().describe("Only commits whose author's name or address contains this."),
        search: z.string().optional().describe("Only commits whose message contains this text."),
        limit: z.int().min(1).max(200).default(10).describe("How many commits to list at most."),
      }),
      outputSchema: z.object({ commits: z.array(commit) }),
      annotations,
    },
    (input, { mcpReq }) =>
      orFailure(async () => {
        const commits = await repository.log(input, mcpReq.signal);
        const list = commits.map(
          (it) => `- ${it.hash.slice(0, 10)} ${it.date.slice(0, 10)} ${it.author}: ${it.subject}`,
        );
        return answer(list.join("\n") || "There are no such commits.", { commits });
      }),
  );
  server.registerTool(
    "show",
    {
      title: "Show a commit or file",
      description:
        "Shows one commit with its message and changes, or the content of a file as it was in that commit.",
      inputSchema: z.object({
        revision: revision.default("HEAD"),
        path: path
          .optional()
          .describe("A file whose content at that revision is wanted, in place of the commit."),
      }),
      outputSchema: text,
      annotations,
    },
    (input, { mcpReq }) =>
      orFailure(async () =>
        plain(await repository.show(input.revision, input.path, mcpReq.signal), "It is empty."),
      ),
  );
  server.registerTool(
    "diff",
    {
      title: "Compare",
      description:
        "Shows what differs: between two revisions or branches, between a revision and the working tree, " +
        "or the changes that are not committed yet when no revision is given.",
      inputSchema: z.object({
        from: revision.optional().describe("The older revision; the staged state when left out."),
        to: revision.optional().describe("The newer revision; the working tree when left out."),
        path: path.optional(),
        staged: z.boolean().optional().describe("Compare what is staged for the next commit."),
      }),
      outputSchema: text,
      annotations,
    },
    (input, { mcpReq }) =>
      orFailure(async () => plain(await repository.diff(input, mcpReq.signal), "Nothing differs.")),
  );
  server.registerTool(
    "branches",
    {
      title: "Branches",
      description: "Lists the local and remote branches with their last commit, the most recent first.",
      inputSchema: z.object({}),
      outputSchema: z.object({
        branches: z.array(
          z.object({ name: z.string(), hash: z.string(), date: z.string(), current: z.boolean() }),
        ),
      }),
      annotations,
    },
    (_, { mcpReq }) =>
      orFailure(async () => {
        const branches = await repository.branches(mcpReq.signal);
        const list = branches.map(
          (it) => `${it.current ? "*" : " "} ${it.name} ${it.hash} ${it.date.slice(0, 10)}`,
        );
        return answer(list.join("\n") || "There are no branches yet.", { branches });
      }),
  );
  server.registerTool(
    "blame",
    {
      title: "Who changed a line",
      description: "Shows for each line of a file who changed it last, when, and in which commit.",
      inputSchema: z.object({
        path,
        revision: revision.optional(),
        from: z.int().min(1).default(1).describe("The first line."),
        to: z.int().min(1).max(1_000_000).optional().describe("The last line; 200 lines when left out."),
      }),
      outputSchema: text,
      annotations,
    },
    (input, { mcpReq }) =>
      orFailure(async () => {
        const to = input.to ?? input.from + 199;
        return plain(await repository.blame({ ...input, to }, mcpReq.signal), "It is empty.");
      }),
  );
  server.registerTool(
    "grep",
    {
      title: "Search in files",
      description:
        "Finds the lines that contain a text, in all tracked files or under a path, as of a revision.",
      inputSchema: z.object({
        text: z.string().min(1).max(500).describe("The text to search for; it is taken literally."),
        revision: revision.optional(),
        path: path.optional(),
        ignoreCase: z.boolean().optional().describe("Whether capital and small letters are the same."),
        limit: z.int().min(1).max(500).default(50).describe("How many lines to show at most."),
      }),
      outputSchema: z.object({
        matches: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
      }),
      annotations,
    },
    (input, { mcpReq }) =>
      orFailure(async () => {
        const matches = await repository.grep(input, mcpReq.signal);
        const list = matches.map((match) => `${match.path}:${match.line}: ${match.text}`);
        return answer(list.join("\n") || "The text is nowhere.", { matches });
      }),
  );
  return server;
}

function plain(content: string, whenEmpty: string) {
  const shown = content.trimEnd() || whenEmpty;
  return answer(shown, { text: shown });
}
