import type { ManagedResource } from "./argocd-api.ts";

interface DemoResource {
  kind: string;
  namespace: string;
  name: string;
  status: string;
  health: { status: string };
}

/** The invented applications; each call returns new copies. */
export function demoApplications() {
  return [
    demoApplication("guestbook", "default", {
      sync: "Synced",
      health: "Healthy",
      revision: "53e28ff20cc530b9",
    }),
    demoApplication("checkout", "shop", {
      sync: "OutOfSync",
      health: "Healthy",
      revision: "a1f0c2d94be7710e",
    }),
    demoApplication("catalogue", "shop", {
      sync: "Synced",
      health: "Degraded",
      revision: "9c4d7f18e26b3a05",
    }),
  ];
}

function demoApplication(
  name: string,
  project: string,
  state: { sync: string; health: string; revision: string },
) {
  const resource = (kind: string, status: string, health: string): DemoResource => ({
    kind,
    namespace: name,
    name,
    status,
    health: { status: health },
  });
  return {
    metadata: { name, namespace: "argocd", uid: `demo-${name}` },
    spec: {
      project,
      source: { repoURL: "https://git.example.com/deployments.git", path: name, targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: name },
    },
    status: {
      sync: { status: state.sync, revision: state.revision },
      health: { status: state.health },
      operationState: { phase: "Succeeded", message: "successfully synced (all tasks run)" },
      resources: [resource("Service", "Synced", "Healthy"), resource("Deployment", state.sync, state.health)],
    },
  };
}

/** The states of an application's resources: one that is out of sync runs an older image on fewer replicas. */
export function demoResources(application: ReturnType<typeof demoApplications>[number]): ManagedResource[] {
  const { name } = application.metadata;
  const isSynced = application.status.sync.status === "Synced";
  const deployment = (image: string, replicas: number) =>
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: name },
      spec: {
        replicas,
        template: { spec: { containers: [{ name, image: `registry.example.com/${name}:${image}` }] } },
      },
    });
  const service = JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: name },
    spec: { ports: [{ port: 80 }] },
  });
  const live = isSynced ? deployment("1.5.0", 3) : deployment("1.4.2", 2);
  return [
    { kind: "Service", namespace: name, name, targetState: service, liveState: service },
    { kind: "Deployment", namespace: name, name, targetState: deployment("1.5.0", 3), liveState: live },
  ];
}
