import { isObject } from "@parley/a2a";
/** Arguments as somebody wrote them: what they come to, or what is wrong with them. */
export type EditedArguments =
  | { readonly isRight: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly isRight: false; readonly problem: string };

/** Reads arguments that somebody wrote; a tool is called with an object, and with nothing else. */
export function readArguments(text: string): EditedArguments {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { isRight: false, problem: `This is not JSON: ${(error as Error).message}` };
  }
  if (!isObject(value)) return { isRight: false, problem: 'Arguments are an object, like {"name": "value"}' };
  return { isRight: true, value };
}
