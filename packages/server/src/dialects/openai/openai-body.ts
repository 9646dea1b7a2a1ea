import type { Context } from "hono";
import type { z } from "zod";
import type { ApiEnvironment } from "../../api/api-options.ts";
import { Problem } from "../../api/problem.ts";
import { OpenAiProblem } from "./openai-error.ts";

/** The body, checked; what is wrong with it is told with the field's name. */
export async function openAiBody<Schema extends z.ZodType>(
  context: Context<ApiEnvironment>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await context.req.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Problem("malformed_request", "The body is not JSON");
  }
  const { data, error } = schema.safeParse(json);
  if (!error) return data;
  const { path, message } = deepest(error.issues[0]);
  const param = path.join(".");
  throw new OpenAiProblem("invalid", param === "" ? message : `${param}: ${message}`, {
    ...(param !== "" && { param }),
    code: "invalid_value",
  });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union the option that comes closest is told of; where none is meant, what all of them are. */
function deepest(issue: z.core.$ZodIssue | undefined): { readonly path: string[]; readonly message: string } {
  if (!issue) return { path: [], message: "The body is not as it should be" };
  const options: Issue[] =
    issue.code === "invalid_union" ? issue.errors.filter(isMeant).flat().map(deepest) : [];
  const best = options.toSorted((left, right) => right.path.length - left.path.length)[0];
  const path = [...issue.path, ...(best && best.path.length > 0 ? best.path : [])].map(String);
  return { path, message: best && best.path.length > 0 ? best.message : issue.message };
}

/** An option whose type is another one is not what the client means. */
function isMeant(issues: readonly z.core.$ZodIssue[]): boolean {
  return !issues.some(
    ({ code, path }) => code === "invalid_value" && path.length === 1 && path[0] === "type",
  );
}
