# syntax=docker/dockerfile:1
# docker build -f tools/deploy/docker/ipfs-peer.Dockerfile -t cairn/ipfs-peer .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node tools/deploy/deploy.mjs ipfs-peer /out

FROM node:24-bookworm-slim
# What the embedded stores write; mount a volume here and run with --read-only.
RUN install -d -o 10001 -g 10001 /data
COPY --from=build --chown=root:root /out /app
WORKDIR /app
USER 10001:10001
ENV NODE_ENV=production CAIRN_HOME=/data IPFS_PEER_API_BIND=0.0.0.0 CAIRN_ADMIN_BIND=0.0.0.0 IPFS_PEER_ADMIN_PORT=6011
VOLUME /data
# 4001 and 4002 accept peers. 5011 is the internal API: keep it within the deployment.
EXPOSE 4001 4002 5011 6011
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:6011/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=200", "--single-threaded-gc", "dist/main.js"]
