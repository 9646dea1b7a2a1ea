import type { ServiceDefinition } from "@grpc/grpc-js";
import { A2AError } from "../../protocol/errors.ts";

const UNREADABLE = Symbol("unreadable");

/** The service with readers that do not throw: grpc-js would report unreadable bytes as an internal error. */
export function readableService<S extends ServiceDefinition>(service: S): S {
  const methods = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer) => {
      try {
        return method.requestDeserialize(bytes);
      } catch {
        return UNREADABLE;
      }
    };
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(methods) as S;
}

/** The message that came, or InvalidParams where none could be read. */
export function readableRequest<Q>(request: Q | typeof UNREADABLE): Q {
  if (request !== UNREADABLE) return request as Q;
  throw new A2AError("InvalidParams", "The request is not a message of this method");
}
