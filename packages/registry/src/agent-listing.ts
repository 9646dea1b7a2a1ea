import type { CardTrust, Credentials } from "@parley/a2a";

/** Where an agent is said to be, and how to prove who asks. */
export interface AgentListing {
  /** What it is called here; without it, its card says so. */
  readonly name?: string;
  /** Its base URL, or its card's. */
  readonly url: string;
  /** By the names that its card gives its security schemes. */
  readonly credentials?: Credentials;
  /** Takes only a card that one of these keys has signed. */
  readonly trust?: CardTrust;
  /** It runs in this process. */
  readonly hosted?: true;
  /** The operator named it: its origin may be reached whatever the policy says, as that of a hosted agent may. */
  readonly vouched?: true;
}

/** Says which agents there should be, and when that has changed. */
export interface AgentSource {
  listings(): readonly AgentListing[];
  /** Returns what ends the listening. */
  onChange(listener: () => void): () => void;
}
