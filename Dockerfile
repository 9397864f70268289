# The image of Doorman. Commands, sizes and what must be set: deploy/README.md
#   docker build -t doorman .
# BUILD_BASE builds: Debian with Node >= 20 and npm. Nothing of it gets into the image but one library.
ARG BUILD_BASE=node:24-bookworm-slim
# BASE carries the image: Debian 12 or alike, with libc6 and libstdc++6. It needs no shell, as nothing is run in it here.
ARG BASE=debian:bookworm-slim

FROM ${BUILD_BASE} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends binutils libatomic1
WORKDIR /app
COPY .npmrc package.json package-lock.json tsconfig.json ./
COPY client/package.json client/
RUN npm ci --include=dev --ignore-scripts
COPY client/ client/
COPY web/ web/
COPY scripts/page-build.mjs scripts/sources.mjs scripts/
COPY src/accounts/common-passwords.txt src/accounts/
RUN node_modules/.bin/node scripts/page-build.mjs
COPY src/ src/
COPY docs/protocol.md docs/
COPY scripts/asyncapi-build.mjs scripts/asyncapi.ts scripts/asyncapi-messages.ts scripts/protocol-examples.ts scripts/
RUN node_modules/.bin/node scripts/asyncapi-build.mjs

# The program: production packages without their types, maps and documents; and Node alone of its package, without symbols.
RUN mkdir -p /image/app/web /image/usr/local/bin /image/usr/local/share/node /image/etc /owned/data \
  && node=$(readlink -f node_modules/.bin/node) \
  && strip --strip-all -o /image/usr/local/bin/node "$node" \
  && cp "$(dirname "$node")/../LICENSE" /image/usr/local/share/node/ \
  && library=$(ldd "$node" | awk '/libatomic/ { print $3 }') \
  && library=$(readlink -f "$(dirname "$library")")/$(basename "$library") \
  && mkdir -p "/image$(dirname "$library")" && cp -L "$library" "/image$library" \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/doorman-client node_modules/.bin node_modules/.cache \
  && find node_modules -type f -regex '.*\.\(map\|[cm]?ts\|md\)' -delete \
  && cp -a package.json node_modules src /image/app/ && cp -a web/dist /image/app/web/
# `doorman check` in the container, and its ordinary user.
RUN printf '#!/usr/local/bin/node\nawait import("/app/src/cli.ts");\n' > /image/usr/local/bin/doorman \
  && chmod 755 /image/usr/local/bin/doorman \
  && printf 'root:x:0:0:root:/root:/usr/sbin/nologin\ndoorman:x:10001:10001::/data:/usr/sbin/nologin\n' > /image/etc/passwd \
  && printf 'root:x:0:\ndoorman:x:10001:\n' > /image/etc/group

FROM ${BASE}
COPY --from=build /image/ /
COPY --from=build --chown=10001:10001 /owned/ /
WORKDIR /app
ENV HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 3000
VOLUME /data
# doorman, by number for runtimes that refuse root without looking into /etc/passwd
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["doorman", "health"]
CMD ["node", "src/main.ts"]
