import type { Context } from "hono";
import type { z } from "zod";
import type { AdapterEnvironment } from "../../adapter-host.ts";
import { jsonOf } from "../../json-body.ts";
import { issueCode } from "../../problem.ts";
import { OpenAiProblem } from "../openai-error.ts";

/** The checked body; an error names the invalid field. */
export async function openAiBody<Schema extends z.ZodType>(
  context: Context<AdapterEnvironment>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { data, error } = schema.safeParse(await jsonOf(context));
  if (!error) return data;
  const { path, message } = deepest(error.issues[0]);
  const param = path.join(".");
  const code = issueCode(error.issues[0]);
  throw new OpenAiProblem(code, param === "" ? message : `${param}: ${message}`, {
    ...(param !== "" && { param }),
    code: code === "too_large" ? "array_above_max_length" : "invalid_value",
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
