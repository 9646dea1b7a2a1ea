import type { ToolDefinition } from "../model.ts";
import { propertiesOf } from "./json-schema.ts";
import { oncePer } from "./once-per.ts";
import { contentStems, words } from "./tokenise.ts";

/** The stems of what a tool's name is about. */
export const nameStems = oncePer(
  ({ name }: ToolDefinition): ReadonlySet<string> => new Set(contentStems(name)),
);

/** The words of a tool's name. */
export const nameWords = oncePer(({ name }: ToolDefinition): ReadonlySet<string> => new Set(words(name)));

/** The stems of what a tool's description is about. */
export const descriptionStems = oncePer(
  ({ description }: ToolDefinition): ReadonlySet<string> => new Set(contentStems(description)),
);

/** The stems of what a tool's description and those of its properties are about. */
export const placeStems = oncePer(
  ({ description, inputSchema }: ToolDefinition): ReadonlySet<string> =>
    new Set(
      [description, ...propertiesOf(inputSchema).map((property) => property.description)].flatMap(
        contentStems,
      ),
    ),
);
