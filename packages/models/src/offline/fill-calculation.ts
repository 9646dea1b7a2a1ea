import type { FillProperty } from "./fill-arguments.ts";
import { isSchema, type JsonSchema, type Property, propertiesOf, typeOf } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import { contentStems, stem, words } from "./tokenise.ts";
import { arithmeticStems, operatorStems } from "./vocabulary.ts";

/** Gives a calculation to the properties that it is for: the expression, the operator, or the operands in order. */
export const fillByCalculation: FillProperty = (property, { tool, text, sources }) => {
  const { arithmetic } = sources;
  if (arithmetic === undefined) return undefined;
  const { expression, operands, operator } = arithmetic;
  const numbers = numbersOf(tool.inputSchema);
  switch (typeOf(property.schema)) {
    case "string":
      if (Array.isArray(property.schema.enum)) return operatorChoice(property.schema.enum, operator);
      if (!isForExpressions(property)) return undefined;
      text.take(/.+/s);
      return text.share() ? expression : undefined;
    case "number":
    case "integer":
      // Some of the operands would be another calculation.
      if (operator === undefined || numbers.length !== operands.length) return undefined;
      return operands[numbers.findIndex(({ name }) => name === property.name)];
    case "array": {
      const items = property.schema.items;
      const ofNumbers = isSchema(items) && ["number", "integer"].includes(typeOf(items));
      return ofNumbers && operator !== undefined && text.share() ? [...operands] : undefined;
    }
    default:
      return undefined;
  }
};

const numbersOf = oncePer((schema: JsonSchema) =>
  propertiesOf(schema).filter(({ schema: wanted }) => ["number", "integer"].includes(typeOf(wanted))),
);

function isForExpressions({ name, description }: Property): boolean {
  const stems = contentStems(`${name} ${description}`);
  return [...arithmeticStems, "equation"].some((term) => stems.includes(term));
}

function operatorChoice(choices: readonly unknown[], operator: string | undefined): unknown {
  if (operator === undefined) return undefined;
  const names = operatorStems[operator] ?? [];
  return choices.find(
    (choice) => choice === operator || words(String(choice)).some((word) => names.includes(stem(word))),
  );
}
