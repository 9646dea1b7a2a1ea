import { z } from "zod";

/**
 * A list that is read up to its first mistake. To collect the mistakes of a million items would take seconds in which
 * nobody else is served.
 */
export function listOf<Item extends z.ZodType>(item: Item, items = z.array(z.unknown())) {
  return items.transform((values, context): z.output<Item>[] => {
    const read: z.output<Item>[] = [];
    for (const [place, value] of values.entries()) {
      const { data, error } = item.safeParse(value);
      if (error) {
        for (const issue of error.issues)
          context.issues.push({ ...issue, path: [place, ...issue.path] } as z.core.$ZodRawIssue);
        return z.NEVER;
      }
      read.push(data);
    }
    return read;
  });
}
