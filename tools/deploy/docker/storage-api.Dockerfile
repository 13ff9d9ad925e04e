# syntax=docker/dockerfile:1
# docker build -f tools/deploy/docker/storage-api.Dockerfile -t cairn/storage-api .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node tools/deploy/deploy.mjs storage-api /out

FROM node:24-bookworm-slim
# What the embedded stores write; mount a volume here and run with --read-only.
RUN install -d -o 10001 -g 10001 /data
COPY --from=build --chown=root:root /out /app
WORKDIR /app
USER 10001:10001
ENV NODE_ENV=production CAIRN_HOME=/data CAIRN_BIND=0.0.0.0 CAIRN_ADMIN_BIND=0.0.0.0 STORAGE_API_ADMIN_PORT=6001
VOLUME /data
EXPOSE 5001 6001
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:6001/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=2", "--heap-growing-percent=150", "--no-flush-bytecode", "dist/main.js"]
