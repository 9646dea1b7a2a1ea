import { beside, right, weighed, wrong } from "../check.ts";
import { ask, told } from "../probes/way.ts";
import { claimedWays, spokenDialects, triedWays, unknownTask } from "../probes/ways.ts";
import { agentCheck, checksOf, wayCheck } from "./define.ts";

/** What the card claims to speak, against what is answered. */
export const dialectChecks = checksOf("Dialects and bindings", [
  {
    id: "interface-answers",
    title: "Every interface that the card claims answers in its version",
    clause: "A2A 1.0 §3.6, §5.2, §8.3.1; protocol.md, “Three dialects on one URL”",
    severity: "must",
    meaning: "The card names an address, a binding or a version at which the agent does not answer.",
    remedy: "Take the interface out of the card, or serve it there in that version.",
    async run(examination) {
      const tried = await triedWays(examination);
      if (tried.length === 0)
        return [weighed(wrong("The card claims no interface that can be examined"), "must")];
      return tried.map(({ way, answer, refusal }) => {
        const { url } = way.endpoint;
        const { evidence } = answer.exchange;
        if (refusal === undefined) return weighed(right(url, [evidence]), "must", way.name);
        const isLocked = answer.exchange.status === 401 || answer.exchange.status === 403;
        return weighed(
          isLocked ? beside(refusal, [evidence]) : wrong(`${url}: ${refusal}`, [evidence]),
          "must",
          way.name,
        );
      });
    },
  },
  agentCheck(
    {
      id: "dialects-unclaimed",
      title: "Every version that is spoken is claimed",
      clause: "A2A 1.0 §3.6.2",
      severity: "info",
      meaning: "The agent answers in a version that its card does not name, so that clients do not use it.",
      remedy: "Name the version in the card.",
    },
    async (examination) => {
      const ways = await claimedWays(examination);
      const url = ways.find(({ endpoint }) => endpoint.binding === "JSONRPC")?.endpoint.url;
      if (url === undefined) return beside("It does not speak JSON-RPC");
      const spoken = await spokenDialects(examination, url);
      const claimed = ways.map(({ endpoint }) => endpoint.dialect);
      const unclaimed = spoken.filter((it) => !claimed.includes(it));
      const words = `It speaks ${spoken.join(", ") || "none that can be told without a message"}`;
      return unclaimed.length === 0 ? right(words) : wrong(`${words}; not claimed: ${unclaimed.join(", ")}`);
    },
  ),
  wayCheck(
    {
      id: "version-unknown",
      title: "A version that does not exist is refused (−32009)",
      clause: "A2A 1.0 §3.6.2, §5.4",
      severity: "must",
      meaning: "A client of a later version is answered in a form that it does not expect.",
      remedy: "Answer VersionNotSupportedError to an A2A-Version that you do not speak.",
    },
    async (examination, way) => {
      if (way.endpoint.dialect !== "1.0") return undefined;
      const headers = { "a2a-version": "99.0" };
      const answer = await ask(examination, way, {
        operation: "get",
        request: { id: unknownTask() },
        headers,
      });
      if (answer.error?.kind === "VersionNotSupported") return right(told(answer));
      return wrong(`To A2A-Version: 99.0 it answers ${told(answer)}`, [answer.exchange.evidence]);
    },
  ),
]);
