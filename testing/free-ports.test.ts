import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freePort, freePortRange } from "./free-ports.ts";

it("freePort and freePortRange return no port twice, even to concurrent processes", async () => {
  const program = `
    const { freePortRange } = await import(${JSON.stringify(new URL("./free-ports.ts", import.meta.url).href)});
    const ports = [];
    for (let time = 0; time < 10; time++) ports.push(await freePortRange(19));
    console.log(JSON.stringify(ports));
    // They are its own as long as it lives.
    process.stdin.on("end", () => process.exit()).resume();`;
  const children = Array.from({ length: 4 }, () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]),
  );
  const printed = children.map(
    ({ child }) => new Promise<string>((resolve) => child.stdout?.once("data", resolve)),
  );
  const firsts = (await Promise.all(printed)).flatMap((line) => JSON.parse(line) as number[]);
  firsts.push(await freePortRange(19));
  const own = await freePort();
  const ports = [
    own,
    ...firsts.flatMap((first) => Array.from({ length: 20 }, (_, offset) => first + offset)),
  ];
  expect(new Set(ports).size).toBe(1 + 41 * 20);
  for (const { child } of children) child.stdin?.end();
  await Promise.all(children);
});
