/** An error as every port sends it. */
export interface ErrorAnswer {
  readonly status: 400 | 403 | 404 | 415 | 500;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what is wrong and what to do. */
  readonly message: string;
}

export function errorBody({ code, message }: ErrorAnswer): { error: { code: string; message: string } } {
  return { error: { code, message } };
}
