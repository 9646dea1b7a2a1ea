/** Parley cannot start; the message tells the operator why. */
export class StartError extends Error {}
