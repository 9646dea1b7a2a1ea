# Parley in a container: "docker build -t parley ." and see compose.yaml for how it is run.
# It listens on 127.0.0.1 of its network unless PARLEY_HOST says otherwise; beyond loopback, everybody has to show an API key
# or sign in (docs/operating.md). It writes to /data and /tmp alone: its root filesystem can be read-only.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /parley
COPY . .
# Nothing that packages bring along is run.
RUN npm ci --omit=dev --ignore-scripts
# Who runs it later only reads it.
RUN node -e 'import("@parley/web/build").then((web) => web.builtWebClient())' && chmod -R a+rX packages/web/dist

FROM node:24.21.0-bookworm-slim
# For the agent that reads a repository.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /parley
COPY --from=build /parley/package.json /parley/package-lock.json ./
COPY --from=build /parley/node_modules ./node_modules
COPY --from=build /parley/packages ./packages
COPY --from=build /parley/mcp-servers ./mcp-servers
COPY --from=build /parley/agents ./agents
COPY --from=build /parley/docs ./docs
COPY --from=build --chown=node:node /parley/demo ./demo
ENV NODE_ENV=production PARLEY_DATA=/data
USER node
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://localhost:${process.env.PORT || 8000}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--disable-warning=ExperimentalWarning", "--min-semi-space-size=32", "--max-semi-space-size=32", "packages/server/src/main.ts"]
