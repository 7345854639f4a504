# The service as an image. Its root file system may be read-only: the one place it writes to is /data, and only with SQLite.
ARG NODE_VERSION=24

# The full image has the compiler that the native SQLite module needs where no prebuilt one can be downloaded.
FROM node:${NODE_VERSION}-bookworm AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci

FROM packages AS build
COPY CHANGELOG.md nest-cli.json tsconfig.json tsconfig.build.json ./
COPY docs/reference/openapi.json docs/reference/errors.md ./docs/reference/
COPY docs/guides ./docs/guides
COPY scripts ./scripts
COPY libs ./libs
COPY src ./src
RUN npm run build

# What `npm ci --omit=dev --omit=optional` installs, without a second time of compiling. Optional is what only compilers and other platforms
# use, such as TypeScript for plugins of Nest's packages, or what is in dist as far as it is used (scripts/bundle-programs.mjs, nest-cli.json).
FROM packages AS production
RUN npm run --silent sbom && npm prune --omit=dev --omit=optional
COPY --from=build /app/dist /app/dist
# Node loads neither types nor source maps, nor what SQLite was compiled from, nor TypeORM's modules for browsers.
RUN find node_modules dist -type f -regex '.*\.\([cm]?ts\|map\)' -delete \
    && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src node_modules/better-sqlite3/build/Release/obj* node_modules/typeorm/browser

FROM node:${NODE_VERSION}-bookworm-slim
COPY --from=production /app/package.json /app/sbom.cdx.json /app/
COPY --from=production /app/node_modules /app/node_modules
COPY --from=production /app/dist /app/dist
RUN ln --symbolic /app/dist/programs/cli.js /usr/local/bin/adoption \
    && install --directory --owner=1000 --group=1000 --mode=0700 /data
# Where ./data, the default of DATABASE_URL, is /data. A variable set here could not be given as NAME_FILE instead. No VOLUME: it would leave
# an empty one behind for each instance with PostgreSQL, and one with data that nobody finds again where no name was given.
WORKDIR /
ENV NODE_ENV=production \
    DEPLOYMENT=production \
    HOST=0.0.0.0 \
    PORT=3000
EXPOSE 3000
# A number, so that an orchestrator can see that it is not root.
USER 1000:1000
# Liveness: an instance whose database is away must not be replaced for it. A load balancer asks /health/ready.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "/app/dist/programs/main.js"]
