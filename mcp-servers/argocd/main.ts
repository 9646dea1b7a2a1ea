import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ArgocdApi } from "./argocd-api.ts";
import { argocdServer, type Service } from "./argocd-tools.ts";
import { startDemoApi } from "./demo-api.ts";

const services: Readonly<Record<string, Service>> = {
  version: "version",
  application: "application",
  all: "all",
};
const service = services[process.argv[2] ?? "all"];
if (service === undefined) {
  process.stderr.write("Usage: node mcp-servers/argocd/main.ts [version|application|all]\n");
  process.exit(2);
}

const base = process.env.ARGOCD_BASE_URL || undefined;
if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? "")) {
  process.stderr.write("ARGOCD_BASE_URL is not a URL like https://argocd.example.com.\n");
  process.exit(2);
}

const api = new ArgocdApi(base ?? (await startDemoApi()).url, process.env.ARGOCD_TOKEN || undefined);
serveStdio(() => argocdServer(api, service, base === undefined));
