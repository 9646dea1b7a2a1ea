/** An error as every port sends it. */
export interface ErrorAnswer {
  readonly status: 400 | 401 | 403 | 404 | 408 | 415 | 417 | 431 | 500 | 503;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what is wrong and what to do. */
  readonly message: string;
}

/** What is sent of it besides the status. */
export function errorBody({ code, message }: Omit<ErrorAnswer, "status">): {
  error: { code: string; message: string };
} {
  return { error: { code, message } };
}
