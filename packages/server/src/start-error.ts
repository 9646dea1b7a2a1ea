/** Why Parley cannot start, as one sentence for a person. */
export class StartError extends Error {}
