import { A2AError } from "../protocol/errors.ts";
import { TaskOperations } from "./task-operations.ts";

/** The operations of an agent whose card declares no streaming: both that stream are refused. */
export class UnstreamedOperations extends TaskOperations {
  override async stream(): Promise<never> {
    throw notDeclared();
  }

  override async subscribe(): Promise<never> {
    throw notDeclared();
  }
}

function notDeclared(): A2AError {
  return new A2AError("UnsupportedOperation", "This agent does not stream: send a message and get its task");
}
