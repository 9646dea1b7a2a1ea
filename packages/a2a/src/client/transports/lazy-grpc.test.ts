import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the client loads gRPC only with its first gRPC call", () => {
  const client = fileURLToPath(new URL("../index.ts", import.meta.url));
  const transport = fileURLToPath(new URL("./grpc/grpc-exchange.ts", import.meta.url));
  const program = `
    import { Module } from "node:module";
    const loaded = () => Object.keys(Module._cache).some((path) => path.includes("grpc-js"));
    await import(${JSON.stringify(client)});
    const before = loaded();
    await import(${JSON.stringify(transport)});
    console.log(before, loaded());`;
  const run = ["--input-type=module", "--eval", program];
  expect(execFileSync(process.execPath, run, { encoding: "utf8" }).trim()).toBe("false true");
});
