import { type Check, TOPICS } from "../check.ts";
import { CHECKS } from "../checks/all-checks.ts";

const BEFORE = `# Check an agent

\`parley doctor URL\` checks any A2A agent against the protocol: it sends the requests that clients send, and some that they
should not, and reports what it found and how to fix it.

\`\`\`
parley doctor http://localhost:8001
parley doctor https://agent.example.com --header 'Authorization: Bearer …' --strict
parley doctor http://localhost:8001 --only stream --verbose
parley doctor http://localhost:8001 --message "Count to fifty, slowly" --json
\`\`\`

**It sends real messages**, about ten per interface in the card, so the agent does real work. The default message is
harmless; \`--message\` sends another one, and one whose answer takes a few seconds lets the doctor check what happens while the
agent works. Unfinished tasks are canceled, also after Ctrl-C (tasks whose id was not received in time are found through the
task list of v1.0, where the agent has one). It makes at most 600 requests and takes at most ten minutes; \`--timeout\`
limits each answer and each stream.

It calls only the given host unless \`--allow\` names another: a card does not choose where requests and credentials go.
The values of \`--header\` are never printed, not even where the agent repeats them.

| sign | | exit code |
|---|---|---|
| ✓ | the rule holds | 0 |
| ✗ | a MUST of the protocol is violated | 1 |
| ! | a SHOULD is not followed, or good to know | 0; with \`--strict\` a SHOULD is 1 |
| – | not claimed, or could not be checked | 0 |

The exit code is 3 if there is no agent, and 2 for wrong usage. \`--json\` prints one document with every request and response;
\`--list\` lists the checks.

Each check covers every usable interface of the agent (\`1.0 JSON-RPC\`, \`0.3 REST\`, \`1.0 gRPC\` …). Checks of JSON or HTTP skip
gRPC; checks of performance and load cover one interface per version. “protocol.md” stands for our own notes on the wire format
and on what implementers, including the official SDKs, get wrong.
`;

const WEIGHTS = { must: "MUST", should: "SHOULD", info: "good to know" } as const;

/** The page that documents every check, generated from the checks. */
export function doctorPage(): string {
  const topics = TOPICS.map((topic) => {
    const ofTopic = CHECKS.filter((check) => check.topic === topic);
    return `## ${topic}\n\n${ofTopic.map(section).join("\n")}`;
  });
  return [BEFORE, ...topics].join("\n");
}

function section({ id, title, severity, clause, meaning, remedy }: Check): string {
  return `### ${id}\n${title}. *${WEIGHTS[severity]}; ${clause}.*\n\nIf not: ${meaning} **What to do:** ${remedy}\n`;
}
