/** The little of Express that these tests use; its own types are not installed. */
declare module "express" {
  import type { RequestListener } from "node:http";

  export type RequestHandler = RequestListener;
  export type ErrorRequestHandler = RequestListener;
  export type Request = import("node:http").IncomingMessage;
  export interface Express extends RequestListener {
    use(path: string, handler: RequestHandler): void;
  }
  export default function express(): Express;
}
