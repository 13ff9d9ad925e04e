# syntax=docker/dockerfile:1
# docker build -f tools/deploy/docker/cairn.Dockerfile -t cairn/cairn .
# The admin command, for the volume of running services and in their PID namespace.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node tools/deploy/deploy.mjs cairn /out

FROM node:24-bookworm-slim
RUN install -d -o 10001 -g 10001 /data
COPY --from=build --chown=root:root /out /app
WORKDIR /app
USER 10001:10001
ENV NODE_ENV=production CAIRN_HOME=/data
VOLUME /data
ENTRYPOINT ["node", "dist/main.js"]
