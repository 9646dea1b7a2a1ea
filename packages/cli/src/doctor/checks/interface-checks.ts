import { agentCheck, checksOf, fail, interfaceCheck, pass, skip, verdictOf } from "../check.ts";
import { answerText } from "../probes/interface-probe.ts";
import { claimedInterfaces, spokenDialects, triedInterfaces, unknownTaskId } from "../probes/interfaces.ts";

/** Checks of the interfaces that the card claims against those that answer. */
export const interfaceChecks = checksOf("Interfaces", [
  {
    id: "interface-answers",
    title: "Every interface in the card answers in its version",
    clause: "A2A 1.0 §3.6, §5.2, §8.3.1; protocol.md, “Three dialects on one URL”",
    severity: "must",
    meaning: "The card names an address, a binding or a version at which the agent does not answer.",
    remedy: "Remove the interface from the card, or serve it there in that version.",
    async run(examination) {
      const tried = await triedInterfaces(examination);
      if (tried.length === 0)
        return [verdictOf(fail("The card has no interface that can be examined"), "must")];
      return tried.map(({ probe, answer, refusal }) => {
        const { url } = probe.endpoint;
        const { evidence, status } = answer.exchange;
        const isLocked = status === 401 || status === 403;
        const finding =
          refusal === undefined
            ? pass(url, [evidence])
            : isLocked
              ? skip(refusal, [evidence])
              : fail(`${url}: ${refusal}`, [evidence]);
        return verdictOf(finding, "must", probe.name);
      });
    },
  },
  agentCheck(
    {
      id: "dialects-unclaimed",
      title: "Every version that the agent speaks is in the card",
      clause: "A2A 1.0 §3.6.2",
      severity: "info",
      meaning: "The agent answers in a version that its card does not name, so clients do not use it.",
      remedy: "Add the version to the card.",
    },
    async (examination) => {
      const probes = await claimedInterfaces(examination);
      const url = probes.find(({ isJsonRpc }) => isJsonRpc)?.endpoint.url;
      if (url === undefined) return skip("The agent does not speak JSON-RPC");
      const spoken = await spokenDialects(examination, url);
      const unclaimed = spoken.filter((version) => !probes.some(({ dialect }) => dialect === version));
      const text = `Speaks ${spoken.join(", ") || "no version that can be detected without a message"}`;
      return unclaimed.length === 0 ? pass(text) : fail(`${text}; not in the card: ${unclaimed.join(", ")}`);
    },
  ),
  interfaceCheck(
    {
      id: "version-unknown",
      title: "An unknown protocol version is rejected (−32009)",
      clause: "A2A 1.0 §3.6.2, §5.4",
      severity: "must",
      meaning: "A client of a later version gets an answer in a form that it does not expect.",
      remedy: "Answer VersionNotSupportedError to an A2A-Version that you do not support.",
      appliesTo: ({ dialect }) => dialect === "1.0",
    },
    async (probe) => {
      const headers = { "a2a-version": "99.0" };
      const answer = await probe.ask("get", { id: unknownTaskId() }, { headers });
      if (answer.error?.kind === "VersionNotSupported") return pass(answerText(answer));
      return fail(`A2A-Version: 99.0 is answered with ${answerText(answer)}`, [answer.exchange.evidence]);
    },
  ),
]);
