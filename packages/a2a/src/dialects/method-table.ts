import type { Operation } from "./dialect.ts";

/** The method names of one dialect, both ways. */
export interface MethodTable {
  operationOf(method: string): Operation | undefined;
  methodOf(operation: Operation): string | undefined;
}

/** Builds both directions from one table. */
export function methodTable(names: Readonly<Partial<Record<Operation, string>>>): MethodTable {
  const methods = new Map(Object.entries(names) as [Operation, string][]);
  const operations = new Map([...methods].map(([operation, method]) => [method, operation]));
  return {
    operationOf: (method) => operations.get(method),
    methodOf: (operation) => methods.get(operation),
  };
}
