import { type Check, TOPICS } from "../check.ts";
import { CHECKS } from "../checks/all-checks.ts";

const BEFORE = `# Check an agent

\`parley doctor URL\` examines any A2A agent, of whatever make: it asks what a client would ask, and what one would
rather not, and says what it found and what to do about it.

\`\`\`
parley doctor http://localhost:8001
parley doctor https://agent.example.com --header 'Authorization: Bearer …' --strict
parley doctor http://localhost:8001 --only stream --verbose
parley doctor http://localhost:8001 --message "Count to fifty, slowly" --json
\`\`\`

**It sends real messages**: about ten for each interface that the card claims, so the agent does real work. The default message is harmless; \`--message\` sends another one, and one whose answer takes a few
seconds lets the doctor see what happens while the agent works. What it leaves unfinished it cancels, also after Ctrl-C
(a task whose name it was not told in time it finds by the list of v1.0, where the agent has that). It asks at most
600 times and takes at most ten minutes; \`--timeout\` bounds each answer and each stream.

It talks to the host that was named and to no other, unless \`--allow\` names it: a card does not choose where requests,
and credentials, go. What \`--header\` sends is shown nowhere, not even where the agent repeats it.

| sign | | exit code |
|---|---|---|
| ✓ | as it should be | 0 |
| ✗ | a MUST of the protocol is violated | 1 |
| ! | a SHOULD is not followed, or something good to know | 0; with \`--strict\` a SHOULD is 1 |
| – | not claimed, or not to be seen in what the agent did | 0 |

No agent there is 3, a wrong command line 2. \`--json\` writes one document with every request and answer; \`--list\` names
the checks.

Each check looks at every way to speak to the agent that works (\`1.0 JSON-RPC\`, \`0.3 REST\`, \`1.0 gRPC\` …); those that are
about JSON or HTTP leave gRPC out, and those of pace and load look at one way for each version. “protocol.md” stands for our own record of what is on the wire and what implementers,
the official SDKs among them, get wrong.
`;

const WEIGHTS = { must: "MUST", should: "SHOULD", info: "good to know" } as const;

/** The page that explains every check, made from the checks themselves. */
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
