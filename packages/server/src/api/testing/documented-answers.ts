import { expect } from "vitest";
import { z } from "zod";

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}
type Paths = Record<string, Record<string, Operation>>;

/** Checks responses against the schemas of an OpenAPI document, as a third-party client would. */
export class DocumentedAnswers {
  readonly #paths: Paths;
  readonly #components: unknown;
  readonly #schemas = new Map<object, z.ZodType>();

  constructor(document: unknown) {
    const { paths, components } = document as { paths: Paths; components: { schemas: unknown } };
    this.#paths = paths;
    this.#components = components.schemas;
  }

  check(
    method: string,
    path: string,
    { status, type, json, text }: { status: number; type: string; json: unknown; text: string },
  ): void {
    const problem = { type: expect.any(String), title: expect.any(String), status, code: expect.any(String) };
    const operation = this.#operation(method, path);
    if (!operation || status === 403) return;
    const response = operation.responses[status] ?? operation.responses.default;
    const content = response?.content?.[type.split(";")[0] ?? ""];
    if (!response?.content) {
      expect(text).toBe("");
    } else if (json !== undefined) {
      if (!content) throw new Error(`${method} ${path} answers ${status} ${type}, which is not documented`);
      const checked = this.#schema(content.schema).safeParse(json);
      if (!checked.success)
        throw new Error(
          `${method} ${path} answers ${status} against its schema: ${z.prettifyError(checked.error)}`,
        );
    }
    if (status >= 400) expect(json).toMatchObject({ ...problem, detail: expect.any(String) });
  }

  #operation(method: string, path: string): Operation | undefined {
    const wanted = (path.split("?")[0] ?? "").replace("/api/v1", "").split("/");
    const fits = (template: string) => {
      const parts = template.split("/");
      return (
        parts.length === wanted.length &&
        parts.every((part, place) => part.startsWith("{") || part === wanted[place])
      );
    };
    const templates = Object.keys(this.#paths).filter(
      (template) => fits(template) && this.#paths[template]?.[method.toLowerCase()],
    );
    const exact = templates.sort((one, other) => one.split("{").length - other.split("{").length)[0];
    return exact === undefined ? undefined : this.#paths[exact]?.[method.toLowerCase()];
  }

  #schema(schema: object): z.ZodType {
    let made = this.#schemas.get(schema);
    if (!made) {
      const whole = JSON.stringify({ ...schema, $defs: this.#components }).replaceAll(
        "#/components/schemas/",
        "#/$defs/",
      );
      made = z.fromJSONSchema(JSON.parse(whole));
      this.#schemas.set(schema, made);
    }
    return made;
  }
}
